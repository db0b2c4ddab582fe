import { describeKind, PromptValidationError } from '../../error/index.ts';
import type { BareEvent, RunEvent } from '../events/run-event.ts';

/** The type of an event. */
export type EventType = RunEvent['type'];

type Primitive = string | number | boolean | undefined;

/** Whether an event of this type has members that hold more than one value, apart from its place. */
type Shape<Type extends EventType> =
  Extract<BareEvent, { readonly type: Type }> extends Readonly<Record<string, Primitive>> ? 'flat' : 'nested';

/** All types. Freezing an event is half of what it costs: what is known to be flat is frozen at once. */
const shapes: { readonly [Type in EventType]: Shape<Type> } = {
  'run-start': 'nested',
  'run-resumed': 'nested',
  'run-end': 'nested',
  'turn-start': 'flat',
  'input-taken': 'nested',
  'turn-end': 'flat',
  'turns-dropped': 'nested',
  'context-compacted': 'nested',
  'model-call-start': 'flat',
  'model-call-retry': 'nested',
  'model-call-end': 'nested',
  'model-changed': 'nested',
  'text-delta': 'flat',
  'reasoning-delta': 'flat',
  'answer-restarted': 'flat',
  'usage-counted': 'nested',
  'budget-exceeded': 'nested',
  'output-rejected': 'flat',
  'completion-checked': 'flat',
  'hosted-tool-called': 'nested',
  'hosted-approval-answered': 'flat',
  'tool-call-start': 'nested',
  'tool-call-retry': 'nested',
  'tool-call-progress': 'nested',
  'tool-call-heartbeat': 'flat',
  'tool-call-end': 'nested',
  'tool-results-dropped': 'nested',
  'approval-pending': 'flat',
  'approval-start': 'nested',
  'approval-end': 'nested',
  'policy-unenforced': 'nested',
  'feedback-recorded': 'nested',
};

/** Every type of event. */
export const everyEventType: ReadonlySet<EventType> = new Set(Object.keys(shapes) as EventType[]);

/** Whether all members of an event are primitive values, its path aside, which is frozen. */
export function isFlat({ type }: RunEvent): boolean {
  return shapes[type] === 'flat';
}

/** @throws {PromptValidationError} for a type that no event has. */
export function assertEventTypes(where: string, types: readonly unknown[]): void {
  for (const type of types) {
    if (everyEventType.has(type as EventType)) continue;
    const given = typeof type === 'string' ? JSON.stringify(type) : describeKind(type);
    throw new PromptValidationError(
      `${where}: ${given} is not a type of event. Types are: ${[...everyEventType].join(', ')}.`,
      { details: { eventType: given } },
    );
  }
}
