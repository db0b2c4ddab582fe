import { type Props, textOf } from './element.ts';

/** Makes the attributes of an element those of `props`, where it has those of `before`. */
export function setAttributes(target: Element, before: Props, props: Props): void {
  for (const name of Object.keys({ ...before, ...props })) {
    const value = props[name];
    if (name === 'children' || name === 'ref') continue;
    // A reader may have changed it since.
    if (name === 'value') {
      if (Reflect.get(target, name) !== textOf(value)) Reflect.set(target, name, value);
    } else if (name === 'style') setStyle(target, before[name], value);
    else if (value === before[name]) continue;
    else if (name.startsWith('on')) Reflect.set(target, name.toLowerCase(), value ?? null);
    else if (typeof value === 'boolean' && name in target) Reflect.set(target, name, value);
    else if (value === undefined || value === null) target.removeAttribute(name);
    else target.setAttribute(name, textOf(value));
  }
}

function setStyle(target: Element, before: unknown, after: unknown): void {
  const { style } = target as HTMLElement;
  // Both are objects of texts and numbers, or undefined.
  const old = (before ?? {}) as Props;
  const next = (after ?? {}) as Props;
  for (const name of Object.keys({ ...old, ...next })) {
    if (old[name] === next[name]) continue;
    const value = textOf(next[name] ?? '');
    if (name.startsWith('--')) style.setProperty(name, value);
    else Reflect.set(style, name, value);
  }
}
