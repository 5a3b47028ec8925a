import type { ComponentProps } from "preact";

interface FieldProps {
  name: string;
  /** The full name, if `name` is shorter. */
  label?: string;
  value: string;
  onText(text: string): void;
}

export function Field({ name, label = name, onText, ...input }: FieldProps & ComponentProps<"input">) {
  return (
    <label>
      {name}
      <input aria-label={label} onInput={(event) => onText(event.currentTarget.value)} {...input} />
    </label>
  );
}

/** A choice among values, of which the empty one stands for any. */
export function Choice({ name, values, value, onText }: FieldProps & { values: readonly string[] }) {
  return (
    <label>
      {name}
      <select aria-label={name} value={value} onChange={(event) => onText(event.currentTarget.value)}>
        {values.map((one) => (
          <option key={one} value={one}>
            {one || "any"}
          </option>
        ))}
      </select>
    </label>
  );
}
