import { type ComponentChildren, type ComponentProps, createContext } from "preact";
import { useContext, useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";

/** Something that a person does, and what it is called if it is refused. */
interface Attempt {
  run(): Promise<unknown>;
  /** What is refused, such as the name of a field. */
  subject: string;
  /** The labels of the form's fields, by their names in the control API: a refusal that names one has its label. */
  labels?: Record<string, string> | undefined;
}

/** The last refusal, and the place where it is shown: at the top of the page if that is undefined. */
interface Refused {
  text: string;
  place: object | undefined;
}

const RefusedContext = createContext<Refused | undefined>(undefined);

const PlaceContext = createContext<object | undefined>(undefined);

/** It never changes, so components that only act are not rendered with each state. */
const ActionsContext = createContext({
  act(_: Attempt, _place: object | undefined): void {},
  dismiss(): void {},
  leave(_place: object): void {},
});

/** Runs the actions within it, and keeps the last refusal until it is dismissed or something else is done. */
export function Actions({ children }: { children: ComponentChildren }) {
  const [refused, setRefused] = useState<Refused>();

  const actions = useMemo(
    () => ({
      async act({ run, subject, labels }: Attempt, place: object | undefined) {
        setRefused(undefined);
        try {
          await run();
        } catch (error) {
          const reason = error instanceof Error ? error.message : String(error);
          setRefused({ text: refusalText(reason, subject, labels), place });
        }
      },
      dismiss: () => setRefused(undefined),
      leave: (gone: object) =>
        setRefused((last) => (last?.place === gone ? { ...last, place: undefined } : last)),
    }),
    [],
  );

  return (
    <ActionsContext.Provider value={actions}>
      <RefusedContext.Provider value={refused}>{children}</RefusedContext.Provider>
    </ActionsContext.Provider>
  );
}

/** A part of the page that shows the refusals of its own actions, at its end. */
export function Place({ children }: { children: ComponentChildren }) {
  const { current: place } = useRef({});
  const { leave } = useContext(ActionsContext);
  useEffect(() => () => leave(place), []);

  return (
    <PlaceContext.Provider value={place}>
      {children}
      <Refusal />
    </PlaceContext.Provider>
  );
}

/** The last refusal, if it belongs to the place around this. */
export function Refusal() {
  const refused = useContext(RefusedContext);
  const place = useContext(PlaceContext);
  return refused && refused.place === place ? <Alert text={refused.text} /> : null;
}

function Alert({ text }: { text: string }) {
  const { dismiss } = useContext(ActionsContext);
  const button = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => () => keepFocusNear(button.current), []);

  return (
    <div role="alert" class="alert">
      <p>{text}</p>
      <button ref={button} type="button" class="quiet" onClick={dismiss}>
        Dismiss
      </button>
    </div>
  );
}

interface ActionProps extends Pick<Attempt, "run"> {
  text: string;
  /** What it acts on, which completes the name of the button. */
  target?: string;
  kind?: "quiet" | "danger";
}

/** A button that runs an action. If this removes the button, the focus stays nearby. */
export function Action({ text, target, kind, run }: ActionProps) {
  const { act } = useContext(ActionsContext);
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
  const { act } = useContext(ActionsContext);
  const place = useContext(PlaceContext);
  function submit(event: Event) {
    event.preventDefault();
    act({ run, subject, labels }, place);
  }

  return <form {...form} onSubmit={submit} noValidate />;
}

/**
 * Puts a text on the clipboard.
 *
 * @throws Error if the browser offers none to the page, as it does to pages of other machines without HTTPS
 */
export async function copy(text: string): Promise<void> {
  if (!navigator.clipboard) {
    throw new Error("The browser lets a page copy only from localhost or over HTTPS.");
  }
  await navigator.clipboard.writeText(text);
}

/** Moves the focus, if an element that goes has it, to the nearest ancestor that stays and has a tabindex of -1. */
function keepFocusNear(element: Element | null): void {
  if (!element || document.activeElement !== element) return;

  const places: HTMLElement[] = [];
  for (let place = element.parentElement; place; place = place.parentElement) {
    if (place.tabIndex === -1 && place.hasAttribute("tabindex")) places.push(place);
  }
  queueMicrotask(() => places.find((place) => place.isConnected)?.focus());
}

/** The form of the mock's refusals. The name of the field is before `Expected`, after it, or missing. */
const refusalForm =
  /^(?:The (?:body|query) is invalid\. )?(?:(?:\w+\.)*(\w+): )?Expected (?:`(\w+)` to be )?(.+)$/s;

/** A refusal in the words of the page, with its subject first: "Lifecycle: expected instant, manual, …". */
function refusalText(reason: string, subject: string, labels: Attempt["labels"] = {}): string {
  const [, path, name, expected] = refusalForm.exec(reason) ?? [];
  if (expected === undefined) return `${subject}: ${reason}`;
  return `${labels[path ?? name ?? ""] ?? subject}: expected ${expected}`;
}
