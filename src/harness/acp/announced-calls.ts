import type { SessionUpdate, ToolCallUpdate } from '@agentclientprotocol/sdk';
import { isRecord } from '../../core/internal/index.ts';
import type { AcpPermissionRequest } from './acp-options.ts';

/** A call of the agent, with all that it has said of it. */
export interface DescribedCall extends AcpPermissionRequest {
  /** Every kind that it was said to have. */
  readonly kinds: ReadonlySet<string>;
  /** The names of all arguments that it was said to have; undefined when they were something else than an object. */
  readonly inputNames: ReadonlySet<string> | undefined;
}

/** The calls that the agent has announced and that have not ended. A request for permission may name nothing but the id of one. */
export class AnnouncedCalls {
  readonly #calls = new Map<string, DescribedCall>();

  take(update: SessionUpdate): void {
    if (update.sessionUpdate !== 'tool_call' && update.sessionUpdate !== 'tool_call_update') return;
    const { status, toolCallId } = update;
    if (status === 'completed' || status === 'failed') this.#calls.delete(toolCallId);
    else this.#calls.set(toolCallId, this.describe(update));
  }

  /** The fields of an update; for those that it does not have, what the agent has said before. */
  describe({ kind, rawInput, title, toolCallId }: ToolCallUpdate): DescribedCall {
    const before = this.#calls.get(toolCallId);
    return {
      title: title ?? before?.title ?? '',
      kind: kind ?? before?.kind,
      rawInput: rawInput ?? before?.rawInput,
      kinds: new Set([...(before?.kinds ?? []), ...(kind === undefined || kind === null ? [] : [kind])]),
      inputNames: namesOf(rawInput, before === undefined ? new Set() : before.inputNames),
    };
  }
}

function namesOf(
  rawInput: unknown,
  before: ReadonlySet<string> | undefined,
): ReadonlySet<string> | undefined {
  if (rawInput === undefined || rawInput === null) return before;
  return isRecord(rawInput) && before !== undefined
    ? new Set([...before, ...Object.keys(rawInput)])
    : undefined;
}
