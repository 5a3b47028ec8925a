/** Moves the focus, if a removed element has it, to the nearest remaining ancestor with a tabindex of -1. */
export function keepFocusNear(element: Element | null): void {
  if (!element || document.activeElement !== element) return;
  const places: HTMLElement[] = [];
  for (let place = element.parentElement; place; place = place.parentElement) {
    if (place.tabIndex === -1 && place.hasAttribute("tabindex")) places.push(place);
  }
  queueMicrotask(() => places.find((place) => place.isConnected)?.focus());
}
