import { useState } from "preact/hooks";

/** The value of a field: the mock's value until the user types, then the typed text until it is cleared. */
export function useDraft(value: string) {
  const [draft, setDraft] = useState<string>();
  return {
    text: draft ?? value,
    props: {
      value: draft ?? value,
      onInput: (event: { currentTarget: { value: string } }) => setDraft(event.currentTarget.value),
    },
    /** Clears the typed text, except for text that was typed after this render. */
    clear: () => setDraft((current) => (current === draft ? undefined : current)),
  };
}
