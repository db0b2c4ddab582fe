import type { VNode } from 'preact';

/** What a component is given, or the attributes of an element. */
export type Props = Readonly<Record<string, unknown>>;

/** Makes what is to be drawn of what it is given. */
export type Component = (props: Props) => unknown;

/** What is to be drawn: an element by its name, or what a component makes. */
export interface Description {
  readonly type: string | Component;
  readonly props: Props;
  /** Names it among its siblings, so that it stays what it is where others come and go. */
  readonly key: string | undefined;
}

/** What JSX calls: the build compiles elements to calls of it. */
export function element(
  type: Description['type'],
  given: Props | null,
  ...children: readonly unknown[]
): VNode {
  const { key, ...props } = given ?? {};
  const description: Description = {
    type,
    props: { ...props, children: children.length > 1 ? children : children[0] },
    key: key === undefined ? undefined : `key ${textOf(key)}`,
  };
  // The types of JSX are Preact's; only this folder looks into the values.
  return description as unknown as VNode;
}

/** Several things without an element around them. */
export function Fragment({ children }: Props): unknown {
  return children;
}

/** A text, a number or a boolean as HTML has it. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
