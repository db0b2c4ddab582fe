import type { VNode } from 'preact';
import { setAttributes } from './attributes.ts';
import { type Component, type Description, type Props, textOf } from './element.ts';

/** What a hook keeps between two drawings of its component. */
export interface Hook {
  value?: unknown;
  inputs?: readonly unknown[] | undefined;
  end?: (() => void) | void;
}

/** Something that is drawn: a text, an element, or a component with what it has made. */
export interface Drawn {
  /** Empty for a text. */
  readonly type: string | Component;
  /** Its key, or its place among its siblings. */
  readonly slot: string;
  readonly outer: Drawn | undefined;
  readonly depth: number;
  /** Undefined for a component. */
  readonly node: Element | Text | undefined;
  props: Props;
  inner: readonly Drawn[];
  readonly hooks: Hook[];
  isGone: boolean;
}

const roots = new WeakMap<Element, Drawn>();

/** Draws into an element, in place of what it holds; what was drawn there before and is the same stays. */
export function draw(content: VNode, host: Element): void {
  const root = roots.get(host) ?? newRoot(host);
  drawInner(root, content);
  arrange(root);
  roots.set(host, root);
  runEffects();
}

function newRoot(host: Element): Drawn {
  host.replaceChildren();
  return {
    type: host.localName,
    slot: '',
    outer: undefined,
    depth: 0,
    node: host,
    props: {},
    inner: [],
    hooks: [],
    isGone: false,
  };
}

/** Draws what is inside: what has the same slot and the same type as before continues, with its element and what its hooks keep. */
function drawInner(outer: Drawn, content: unknown): void {
  const before = new Map(outer.inner.map((each) => [each.slot, each]));
  const inner = new Map<string, Drawn>();
  for (const [index, item] of (Array.isArray(content) ? content : [content]).entries()) {
    const next = describe(item);
    if (next === undefined) continue;
    let slot = next.key ?? String(index);
    while (inner.has(slot)) slot += ' again';
    const found = before.get(slot);
    const isSame = found !== undefined && found.type === next.type;
    const drawn = isSame ? found : newDrawn(next, slot, outer);
    if (isSame) before.delete(slot);
    inner.set(slot, drawn);
    update(drawn, next.props);
  }
  outer.inner = [...inner.values()];
  for (const gone of before.values()) {
    end(gone);
    for (const node of nodesOf([gone])) node.remove();
  }
}

/** Undefined for what draws nothing. */
function describe(item: unknown): Description | undefined {
  if (item === undefined || item === null || typeof item === 'boolean') return undefined;
  if (Array.isArray(item)) return { type: list, props: { children: item }, key: undefined };
  if (typeof item === 'object') return item as Description; // Made by element(), as the types of JSX say.
  return { type: '', props: { text: textOf(item) }, key: undefined };
}

const list: Component = ({ children }) => children;

const svg = 'http://www.w3.org/2000/svg';

function newDrawn({ type }: Description, slot: string, outer: Drawn): Drawn {
  return {
    type,
    slot,
    outer,
    depth: outer.depth + 1,
    node: typeof type === 'string' ? newNode(type, hostOf(outer)) : undefined,
    props: {},
    inner: [],
    hooks: [],
    isGone: false,
  };
}

function newNode(name: string, host: Drawn): Element | Text {
  if (name === '') return new Text();
  return name === 'svg' || (host.node instanceof SVGElement && host.type !== 'foreignObject')
    ? document.createElementNS(svg, name)
    : document.createElement(name);
}

function update(drawn: Drawn, props: Props): void {
  const { node, props: before } = drawn;
  drawn.props = props;
  if (node === undefined) drawComponent(drawn);
  else if (node instanceof Text) {
    if (node.data !== props['text']) node.data = textOf(props['text']);
  } else {
    drawInner(drawn, props['children']);
    arrange(drawn);
    setAttributes(node, before, props);
    refOf(props).current = node;
  }
}

function refOf({ ref }: Props): { current: unknown } {
  // As the types of JSX say.
  return (ref ?? {}) as { current: unknown };
}

/** The component that is drawn now, and how many of its hooks were asked for. */
let current: Drawn | undefined;
let asked = 0;

function drawComponent(drawn: Drawn): void {
  waiting.delete(drawn);
  const [outer, outerAsked] = [current, asked];
  [current, asked] = [drawn, 0];
  let content: unknown;
  try {
    content = typeof drawn.type === 'function' ? drawn.type(drawn.props) : undefined;
  } finally {
    [current, asked] = [outer, outerAsked];
  }
  drawInner(drawn, content);
}

/** The component that is drawn now. */
export function currentComponent(): Drawn {
  if (current === undefined) throw new Error('A hook is used outside of a component.');
  return current;
}

/** What the next hook of the component keeps. */
export function nextHook(): Hook {
  const { hooks } = currentComponent();
  const hook = hooks[asked] ?? {};
  hooks[asked] = hook;
  asked += 1;
  return hook;
}

/** The nearest element around, or the thing itself. */
function hostOf(drawn: Drawn): Drawn {
  let host = drawn;
  while (host.node === undefined && host.outer !== undefined) host = host.outer;
  return host;
}

/** Puts the nodes inside an element into their order. Those that stay are not moved, so that they keep the focus and where they are scrolled to. */
function arrange({ node, inner }: Drawn): void {
  let next = node?.firstChild ?? null;
  for (const each of nodesOf(inner)) {
    if (each === next) next = each.nextSibling;
    else node?.insertBefore(each, next);
  }
}

function nodesOf(drawn: readonly Drawn[]): readonly (Element | Text)[] {
  return drawn.flatMap(({ node, inner }) => node ?? nodesOf(inner));
}

function end(drawn: Drawn): void {
  drawn.isGone = true;
  for (const hook of drawn.hooks) hook.end?.();
  refOf(drawn.props).current = null;
  drawn.inner.forEach(end);
}

/** What is to be done when everything is in the document. */
const effects: (() => void)[] = [];

export function afterDrawing(effect: () => void): void {
  effects.push(effect);
}

function runEffects(): void {
  for (const effect of effects.splice(0)) effect();
}

/** Components that are to be drawn again. */
const waiting = new Set<Drawn>();
let isPlanned = false;

/** Draws a component again, with all inside it: once for all that change in one step of the event loop. */
export function drawAgain(drawn: Drawn): void {
  waiting.add(drawn);
  if (isPlanned) return;
  isPlanned = true;
  queueMicrotask(() => {
    isPlanned = false;
    // Outer ones first: they draw what is inside them.
    for (const each of [...waiting].sort((left, right) => left.depth - right.depth)) {
      if (!waiting.delete(each) || each.isGone) continue;
      drawComponent(each);
      arrange(hostOf(each));
    }
    runEffects();
  });
}
