import { PromptValidationError } from '../../error/index.ts';
import { processWide } from '../../internal/index.ts';
import type { ConversationItem, HostedApprovalItem, Logger, ToolResultItem } from '../../tool/index.ts';

/** A call of a history that was never answered. */
interface PendingCall {
  readonly callId: string;
  readonly toolName: string;
}

/** A history that a provider takes: every call has its result, every request for approval its answer, and nothing answers what was not asked. */
interface CompletedHistory {
  readonly items: ConversationItem[];
  readonly pending: readonly PendingCall[];
  /** The ids of calls that had a result, but are not in the history, or had one before. */
  readonly dropped: readonly string[];
}

const unanswered = 'the run was interrupted before the question was answered.';

/**
 * The earlier conversation as a run begins with it. Calls without a result get one that says that they were interrupted; results without a call
 * are left out, since providers refuse both. With `'refuse'` there are no calls without a result: see {@link refusePendingCalls}.
 */
export function beginningOf(history: readonly ConversationItem[], logger: Logger): ConversationItem[] {
  const { items, pending, dropped } = complete(history);
  if (pending.length > 0) {
    logger.warn('The history has calls without a result. They are answered as interrupted.', {
      calls: pending.map(({ callId }) => callId),
    });
  }
  if (dropped.length > 0) {
    logger.warn('The history has results without a call. They are left out.', { calls: dropped });
  }
  return items;
}

/** @throws {PromptValidationError} for a history with calls that have no result; it names them. */
export function refusePendingCalls(history: readonly ConversationItem[]): void {
  const { pending } = complete(history);
  if (pending.length === 0) return;
  const named = pending.map(({ callId, toolName }) => `"${toolName}" (${callId})`).join(', ');
  throw new PromptValidationError(
    `The history has calls without a result: ${named}. Add their results, leave these calls out, or have them answered as interrupted with pendingCalls: 'interrupt'.`,
    { details: { option: 'history', calls: pending.map(({ callId, toolName }) => ({ callId, toolName })) } },
  );
}

function complete(history: readonly ConversationItem[]): CompletedHistory {
  const completion = new Completion();
  for (const item of history) completion.add(item);
  return completion.end();
}

/** Goes through a history, turn by turn of the model. */
class Completion {
  readonly #items: ConversationItem[] = [];
  readonly #pending: PendingCall[] = [];
  readonly #dropped: string[] = [];
  /** What the last turn of the model asked for and has not been answered. */
  readonly #calls = new Map<string, PendingCall>();
  readonly #requests = new Set<string>();
  /** The index for answers to that turn: before the user's items after it. */
  #answersEnd = 0;

  add(item: ConversationItem): void {
    switch (item.type) {
      case 'tool-result':
        if (this.#calls.delete(item.callId)) this.#answer(item);
        else this.#dropped.push(item.callId);
        return;
      case 'approval':
        this.#requests.delete(item.approvalId);
        this.#answer(item);
        return;
      case 'assistant':
        this.#endTurn();
        this.#items.push(item);
        this.#answersEnd = this.#items.length;
        for (const part of item.content) {
          if (part.type === 'tool-call')
            this.#calls.set(part.callId, { callId: part.callId, toolName: part.name });
          else if (part.type === 'approval-request') this.#requests.add(part.approvalId);
        }
        return;
      case 'user':
        this.#items.push(item);
    }
  }

  end(): CompletedHistory {
    this.#endTurn();
    return { items: this.#items, pending: this.#pending, dropped: this.#dropped };
  }

  #answer(item: ToolResultItem | HostedApprovalItem): void {
    if (this.#answersEnd === this.#items.length) this.#items.push(item);
    else this.#items.splice(this.#answersEnd, 0, item);
    this.#answersEnd += 1;
  }

  #endTurn(): void {
    for (const call of this.#calls.values()) {
      this.#pending.push(call);
      this.#answer(interrupted(call));
    }
    for (const approvalId of this.#requests) {
      this.#answer({ type: 'approval', approvalId, approved: false, reason: unanswered });
    }
    this.#calls.clear();
    this.#requests.clear();
  }
}

function interrupted({ callId, toolName }: PendingCall): ToolResultItem {
  const text = `The call of "${toolName}" was interrupted; whether it ran is not known. Look at what it was to change before you make it again.`;
  return { type: 'tool-result', callId, toolName, text, isError: true };
}

/** The conversations of suspended runs, with the names of these. Shared by all copies of the package: a call would be made twice. */
function suspended(): WeakMap<readonly ConversationItem[], string> {
  return processWide('suspended-histories.1', () => new WeakMap());
}

/** Marks the conversation of a run that waits for answers. */
export function markSuspended(conversation: readonly ConversationItem[], runId: string): void {
  suspended().set(conversation, runId);
}

/**
 * A run that began with such a conversation would read that its calls were interrupted, and they would be made by `resumeRun` all the same. A copy is not recognized:
 * `pendingCalls` decides about its calls.
 *
 * @throws {PromptValidationError} for the conversation of a run that waits for answers.
 */
export function refuseSuspended(history: readonly ConversationItem[]): void {
  const runId = suspended().get(history);
  if (runId === undefined) return;
  throw new PromptValidationError(
    `The history is the conversation of the run "${runId}", which waits for answers. Answer its questions and continue it by resumeRun().`,
    { details: { option: 'history', runId } },
  );
}
