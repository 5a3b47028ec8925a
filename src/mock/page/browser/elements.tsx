import type { ComponentProps } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

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

/** The texts of a form, and the attributes that bind a field to one of them. */
export function useForm<Form extends Record<string, string>>(blank: Form) {
  const [form, setForm] = useState(blank);
  const bound = (name: keyof Form) => ({
    value: form[name] as string,
    onText: (text: string) => setForm({ ...form, [name]: text }),
  });
  return { form, bound };
}

interface UnfolderProps {
  text: string;
  /** The full name of the button. */
  label: string;
  isOpen: boolean;
  setOpen(isOpen: boolean): void;
}

/** A button that shows and hides something. */
export function Unfolder({ text, label, isOpen, setOpen }: UnfolderProps) {
  return (
    <button
      type="button"
      class="quiet fold"
      aria-label={label}
      aria-expanded={isOpen}
      onClick={() => setOpen(!isOpen)}
    >
      {text}
    </button>
  );
}

/** The column headings of a table. */
export const TableHead = ({ columns }: { columns: string[] }) => (
  <thead>
    <tr>
      {columns.map((name) => (
        <th key={name} scope="col">
          {name}
        </th>
      ))}
    </tr>
  </thead>
);

/** Attributes for an element whose content may be too long for it. What scrolls must be reachable without a mouse. */
export function useScrolling(content: unknown, label: string) {
  const ref = useRef<HTMLDivElement & HTMLPreElement>(null);
  const [overflows, setOverflows] = useState(false);
  useLayoutEffect(() => {
    const { scrollHeight = 0, clientHeight = 0 } = ref.current ?? {};
    setOverflows(scrollHeight > clientHeight);
  }, [content]);
  return { ref, ...(overflows && ({ tabIndex: 0, role: "group", "aria-label": label } as const)) };
}

export function LongText({ name, text }: { name: "answer" | "body" | "error" | "result"; text: string }) {
  return (
    <pre data-testid={name} class={name} {...useScrolling(text, name)}>
      {text}
    </pre>
  );
}
