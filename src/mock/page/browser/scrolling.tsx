import { useLayoutEffect, useRef, useState } from "preact/hooks";

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
