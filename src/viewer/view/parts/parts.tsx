import type { ComponentChildren, JSX, VNode } from 'preact';
import { readableBytes, startOf } from '../../../core/internal/index.ts';
import type { JsonValue } from '../../../core/schema/index.ts';
import type { RecordedCall, RecordedTurn } from '../../../record/index.ts';
import { snippetOf } from '../../model/search.ts';
import { isObject } from '../../model/tables.ts';
import { turnId } from '../../model/turns.ts';
import { visible } from '../../model/visible.ts';
import { brief, type Mark, many } from '../../model/words.ts';
import { useSignal } from '../store/signals.ts';
import { useStore } from '../store/store.ts';

/** The mark of an outcome; what it says is in the words beside it. */
export function Icon({ mark }: { readonly mark: Mark }): VNode {
  return (
    <svg class={`icon ${mark}`} viewBox="0 0 12 12" aria-hidden="true">
      {shapes[mark]}
    </svg>
  );
}

const shapes: Readonly<Record<Mark, VNode>> = {
  ok: <circle cx="6" cy="6" r="4.2" fill="currentColor" stroke="none" />,
  'rolled-back': <path d="M10 1.8V10.2L2 6Z" stroke-linejoin="round" />,
  denied: <path d="M2 2H10V10H2ZM4.2 6H7.8" />,
  rejected: <path d="M2.2 2.2 9.8 9.8M9.8 2.2 2.2 9.8" stroke-width="1.8" />,
  superseded: <circle cx="6" cy="6" r="4.2" stroke-dasharray="2.3 1.47" />,
  ask: <path d="M6 1.2 10.8 6 6 10.8 1.2 6ZM3.4 6.6 6.6 3.4M5.4 8.6 8.6 5.4" stroke-width="1.3" />,
  running: <path d="M2 6H10" stroke-dasharray="1.6 1.6" />,
};

/** A section of the details. One without content says why in one line, `empty`. */
export function Section(props: {
  readonly title: ComponentChildren;
  readonly note?: ComponentChildren;
  readonly empty?: ComponentChildren;
  readonly children?: ComponentChildren;
}): VNode {
  return (
    <section class="section">
      <h3>
        {props.title}
        {props.note === undefined ? null : <small>{props.note}</small>}
      </h3>
      {props.empty === undefined ? null : <Empty>{props.empty}</Empty>}
      {props.children}
    </section>
  );
}

export function Empty({ children }: { readonly children: ComponentChildren }): VNode {
  return <p class="mute">{children}</p>;
}

/** One line of a list: a mark or a number, what it is about, and at the end a time or a word. */
export function Item(props: {
  readonly mark?: Mark;
  readonly number?: number;
  readonly end?: ComponentChildren;
  readonly children: ComponentChildren;
}): VNode {
  return (
    <div class="item">
      {props.mark === undefined ? <span class="mute">{props.number}</span> : <Icon mark={props.mark} />}
      <div>{props.children}</div>
      <span class="right">{props.end}</span>
    </div>
  );
}

/** A text in a box. It scrolls, so it has to be reachable by keyboard. */
export function TextBox(props: {
  readonly label: string;
  readonly text: string;
  readonly class?: string;
}): VNode {
  return (
    <div class={`text ${props.class ?? ''}`} tabIndex={0} role="region" aria-label={props.label}>
      {props.text === '' ? <span class="mute">An empty text.</span> : <LongText text={props.text} />}
    </div>
  );
}

export type Fact = readonly [name: string, value: ComponentChildren];

/** A text in a box, or what `children` makes, that is built only when it is opened. */
export function Fold(props: {
  readonly summary: string;
  readonly text?: () => string;
  readonly children?: () => ComponentChildren;
}): VNode {
  const { summary, text, children } = props;
  const isOpen = useSignal(false);
  return (
    <details class="after" onToggle={(event) => (isOpen.value = event.currentTarget.open)}>
      <summary>{summary}</summary>
      {isOpen.value ? children?.() : null}
      {isOpen.value && text !== undefined ? <TextBox label={summary} text={text()} /> : null}
    </details>
  );
}

/** Labels and values on one line; a fact without a value is left out. */
export function Facts({ facts }: { readonly facts: readonly Fact[] }): VNode {
  return (
    <dl class="facts">
      {facts
        .filter(([, value]) => value !== undefined && value !== '')
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

/** A link to a call. */
export function CallLink({ call, label }: { readonly call: RecordedCall; readonly label?: string }): VNode {
  const store = useStore();
  const open = (event: Event): void => {
    event.stopPropagation();
    store.select(call.id, { detail: true });
  };
  return (
    <button class="link mono" onClick={open}>
      {visible(label ?? call.id)}
    </button>
  );
}

/** The tool and the main argument of a call. */
export function CallTitle({ call }: { readonly call: RecordedCall }): JSX.Element {
  return (
    <>
      <CallLink call={call} label={call.toolName} /> <span class="mono mute">{visible(brief(call))}</span>
    </>
  );
}

export function TurnLink(props: { readonly turn: RecordedTurn; readonly label?: string | undefined }): VNode {
  const { turn, label } = props;
  const store = useStore();
  return (
    <button class="link" onClick={() => store.select(turnId(turn), { detail: true })}>
      {label ?? `Turn ${turn.number}`}
    </button>
  );
}

/** A text with the place where the search found something marked. */
export function Marked({ text }: { readonly text: string }): JSX.Element {
  const query = useStore().query.value;
  const at = query === '' ? -1 : text.toLowerCase().indexOf(query);
  if (at < 0) return <>{visible(text)}</>;
  return (
    <>
      {visible(text.slice(0, at))}
      <mark>{visible(text.slice(at, at + query.length))}</mark>
      {visible(text.slice(at + query.length))}
    </>
  );
}

/** The part of a text around what the search found. */
export function Snippet({ text }: { readonly text: string }): VNode {
  const [before, hit, after] = snippetOf(text, useStore().query.value);
  return (
    <div class="snippet">
      {visible(before)}
      <mark>{visible(hit)}</mark>
      {visible(after)}
    </div>
  );
}

/** Characters that are shown at once: browsers take seconds for a line of megabytes. */
const maxCharacters = 20_000;

/** A text as it is, with controls made visible; a long one is cut until it is asked for. */
export function LongText({ text }: { readonly text: string }): JSX.Element {
  const shown = useSignal(maxCharacters);
  if (text.length <= shown.value) return <>{visible(text)}</>;
  const rest = text.length - shown.value;
  return (
    <>
      {visible(startOf(text, shown.value))}
      {'…\n'}
      <button class="link" onClick={() => (shown.value += 10 * maxCharacters)}>
        Show more: {readableBytes(rest)} left
      </button>
    </>
  );
}

/** The members of an object with their names; anything else as a text. */
export function Pairs({ value }: { readonly value: JsonValue | undefined }): JSX.Element {
  const text = (each: JsonValue | undefined): string =>
    typeof each === 'string' ? each : (JSON.stringify(each, null, 1) ?? '');
  if (!isObject(value)) return <LongText text={text(value)} />;
  return (
    <dl class="pairs">
      {Object.entries(value).map(([name, member]) => (
        <>
          <dt>{visible(name)}</dt>
          <dd>
            <LongText text={text(member)} />
          </dd>
        </>
      ))}
    </dl>
  );
}

/** Items, of which those after the first ones are added when asked for. */
export function Capped<T>(props: {
  readonly items: readonly T[];
  /** How many are added at a time. Default: 60. */
  readonly limit?: number;
  readonly noun: string;
  readonly children: (item: T, index: number) => ComponentChildren;
  /** What the button is in, such as a row of a table. */
  readonly wrap?: (button: VNode) => VNode;
}): JSX.Element {
  const { items, limit = 60, noun, children, wrap = (button) => button } = props;
  const shown = useSignal(limit);
  const rest = items.length - shown.value;
  return (
    <>
      {items.slice(0, shown.value).map(children)}
      {rest > 0
        ? wrap(
            <button class="link more" onClick={() => (shown.value += limit)}>
              Show {Math.min(rest, limit)} more of {many(rest, noun)}
            </button>,
          )
        : null}
    </>
  );
}
