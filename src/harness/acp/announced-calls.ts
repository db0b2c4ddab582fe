import type { SessionUpdate, ToolCallUpdate } from '@agentclientprotocol/sdk';
import type { AcpPermissionRequest } from './acp-permissions.ts';

/** The calls that the agent has announced and that have not ended. A request for permission may name nothing but the id of one. */
export class AnnouncedCalls {
  readonly #calls = new Map<string, AcpPermissionRequest>();

  take(update: SessionUpdate): void {
    if (update.sessionUpdate !== 'tool_call' && update.sessionUpdate !== 'tool_call_update') return;
    const { status, toolCallId } = update;
    if (status === 'completed' || status === 'failed') this.#calls.delete(toolCallId);
    else this.#calls.set(toolCallId, this.describe(update));
  }

  /** The fields of an update; for those that it does not have, what the agent has said before. */
  describe({ kind, rawInput, title, toolCallId }: ToolCallUpdate): AcpPermissionRequest {
    const before = this.#calls.get(toolCallId);
    return {
      title: title ?? before?.title ?? '',
      kind: kind ?? before?.kind,
      rawInput: rawInput ?? before?.rawInput,
    };
  }
}
