import { useState } from "preact/hooks";

/** The value of a field: that of the mock until somebody types, then what they typed, until it is done. */
export function useDraft(value: string) {
  const [draft, setDraft] = useState<string>();
  return {
    text: draft ?? value,
    props: {
      value: draft ?? value,
      onInput: (event: { currentTarget: { value: string } }) => setDraft(event.currentTarget.value),
    },
    /** What was typed since this was drawn stays. */
    clear: () => setDraft((current) => (current === draft ? undefined : current)),
  };
}
