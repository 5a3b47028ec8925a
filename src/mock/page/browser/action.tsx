import type { ComponentProps } from "preact";
import { useContext, useLayoutEffect, useRef } from "preact/hooks";
import { keepFocusNear } from "./focus.js";
import { ActContext, type Attempt, PlaceContext } from "./page-context.js";
import { Place } from "./problems.js";

interface ActionProps extends Pick<Attempt, "run"> {
  text: string;
  /** What it acts on, which completes the name of the button. */
  target?: string;
  kind?: "quiet" | "danger";
}

/** A button that runs an action. If this removes the button, the focus stays nearby. */
export function Action({ text, target, kind, run }: ActionProps) {
  const act = useContext(ActContext);
  const place = useContext(PlaceContext);
  const button = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => () => keepFocusNear(button.current), []);
  const name = target && `${text} ${target}`;
  const attempt = { run, subject: name ?? text };
  return (
    <button ref={button} type="button" class={kind} aria-label={name} onClick={() => act(attempt, place)}>
      {text}
    </button>
  );
}

type ActionFormProps = ComponentProps<"form"> & Attempt;

/** A form that runs an action, above its refusal. The mock checks the input, so the browser does not. */
export const ActionForm = (props: ActionFormProps) => (
  <Place>
    <Form {...props} />
  </Place>
);

function Form({ run, subject, labels, ...form }: ActionFormProps) {
  const act = useContext(ActContext);
  const place = useContext(PlaceContext);
  function submit(event: Event) {
    event.preventDefault();
    act({ run, subject, labels }, place);
  }
  return <form {...form} onSubmit={submit} noValidate />;
}
