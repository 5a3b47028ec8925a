import type { ComponentProps } from "preact";
import { useContext, useLayoutEffect, useRef } from "preact/hooks";
import { ActContext } from "./page-context.js";

interface ActionProps {
  text: string;
  /** What it acts on, which completes the name of the button. */
  target?: string;
  kind?: "quiet" | "danger";
  run(): Promise<unknown>;
}

/** A button that runs an action. If this removes the button, the focus stays nearby. */
export function Action({ text, target, kind, run }: ActionProps) {
  const act = useContext(ActContext);
  const button = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => () => keepFocusNear(button.current), []);
  const name = target && `${text} ${target}`;
  return (
    <button ref={button} type="button" class={kind} aria-label={name} onClick={() => act(run)}>
      {text}
    </button>
  );
}

/** A form that runs an action. The mock checks the input, so the browser does not. */
export function ActionForm({ run, ...form }: ComponentProps<"form"> & Pick<ActionProps, "run">) {
  const act = useContext(ActContext);
  function submit(event: Event) {
    event.preventDefault();
    act(run);
  }
  return <form {...form} onSubmit={submit} noValidate />;
}

/** Moves the focus, if a removed element has it, to the nearest remaining ancestor with a tabindex of -1. */
function keepFocusNear(element: Element | null): void {
  if (!element || document.activeElement !== element) return;
  const places: HTMLElement[] = [];
  for (let place = element.parentElement; place; place = place.parentElement) {
    if (place.tabIndex === -1 && place.hasAttribute("tabindex")) places.push(place);
  }
  queueMicrotask(() => places.find((place) => place.isConnected)?.focus());
}
