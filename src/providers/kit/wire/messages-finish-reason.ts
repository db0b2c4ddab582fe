import type { FinishReason } from '../../../core/tool/index.ts';

/**
 * Why a turn ended, as the Messages interface of Anthropic says it, which other programs pass on.
 *
 * @param hasCalls whether the turn has calls of the run, where the provider does not say why it ended.
 */
export function messagesFinishReason(reason: unknown, hasCalls: boolean): FinishReason {
  switch (reason) {
    case 'end_turn':
    case 'stop_sequence':
      return 'stop';
    case 'tool_use':
      return 'tool-calls';
    case 'max_tokens':
      return 'length';
    case 'pause_turn':
      return 'paused';
    case 'refusal':
      return 'refusal';
    case 'model_context_window_exceeded':
      return 'context-window';
    case undefined:
    case null:
      return hasCalls ? 'tool-calls' : 'stop';
    default:
      return 'other';
  }
}
