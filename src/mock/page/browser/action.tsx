import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { useAct } from "./page-context.js";

interface ActionProps {
  /** The whole name, where the text is shorter. */
  label?: string;
  children: ComponentChildren;
  kind?: "quiet" | "danger";
  run(): Promise<unknown>;
}

/** A button that does something. When it goes because of that, the focus stays near. */
export function Action({ label, children, kind, run }: ActionProps) {
  const act = useAct();
  const button = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => () => keepFocusNear(button.current), []);
  return (
    <button ref={button} type="button" class={kind} aria-label={label} onClick={() => act(run)}>
      {children}
    </button>
  );
}

/** Moves the focus to the nearest place around an element that goes, if it has it. */
function keepFocusNear(element: Element | null): void {
  if (!element || document.activeElement !== element) return;
  const places: HTMLElement[] = [];
  for (let place = element.parentElement; place; place = place.parentElement) {
    if (place.tabIndex === -1 && place.hasAttribute("tabindex")) places.push(place);
  }
  queueMicrotask(() => places.find((place) => place.isConnected)?.focus());
}
