import { assertOptions, matching, number } from '../../../error/index.ts';
import { isRecord } from '../../../internal/index.ts';
import type { ConversationItem, TokenUsage } from '../../../tool/index.ts';
import type { ApprovalHandler } from '../environment/environment.ts';
import type { PendingApproval } from '../environment/run-suspension.ts';

/** Options of {@link suspendApproval}. */
export interface SuspendApprovalOptions {
  /** How long a question can be answered, in milliseconds, at least 1; after that the answer is no. Default: it does not expire. */
  readonly expiresMs?: number;
  /**
   * For a tool runtime: whose questions these are, such as the folder and the options that its calls depend on. The questions outlive the runtime then: an answer counts for the same call in any later one with the same scope, agent, prompt and
   * tools. Not empty. Refused elsewhere: the questions of an evaluation belong to its run. Default: the questions of a tool runtime end with it.
   */
  readonly scope?: string;
  /**
   * Called with the questions once they are durable, before the run ends: to notify a person. May throw or reject: that is logged, and the run is suspended
   * all the same. Default: no person is notified.
   */
  readonly onPending?: (pending: readonly PendingApproval[]) => void | Promise<void>;
}

/** Ends a run with the questions of policies instead of asking someone who must answer while it waits. */
export interface ApprovalSuspension extends SuspendApprovalOptions {
  readonly kind: 'approval-suspension';
}

/** Decides what policies ask, or ends the run with it. */
export type Approver = ApprovalHandler | ApprovalSuspension;

/** A run that waits for answers. */
export interface SuspendedRun {
  readonly finishReason: 'suspended';
  readonly promptName: string;
  /** Name of the run in its journal: `resumeRun` continues it. */
  readonly runId: string;
  /** The questions without an answer, in the order of the calls. */
  readonly pending: readonly PendingApproval[];
  /** What was said so far. Its last calls have no results: as `history` of another run it is refused, continue with `resumeRun`. */
  readonly conversation: readonly ConversationItem[];
  readonly usage: TokenUsage;
}

/**
 * The option `approve` for a run with a journal: a policy that asks ends the run, with `finishReason: 'suspended'` and the questions in `pending`. Answers
 * are given to `resumeRun`, or to `answerApprovals`, by any process and at any time.
 *
 * ```ts
 * import { defineAgent, PolicyDecision, promptTemplate, runAgent, section, suspendApproval, ToolResult, tool } from 'weakincentives';
 * import { memoryJournal, scriptedAdapter } from 'weakincentives/testing';
 *
 * const deploy = tool({ name: 'deploy', description: 'Deploys.', effects: 'state', execute: () => ToolResult.ok('live') });
 * const ask = { name: 'ask-first', check: () => PolicyDecision.ask('Production needs a person.') };
 * const task = section({ title: 'Task', key: 'task', template: 'Deploy.', tools: [deploy], policies: [ask] });
 * const agent = defineAgent({
 *   template: promptTemplate({ ns: 'docs', key: 'deploy', sections: [task] }),
 *   adapter: scriptedAdapter([{ toolCalls: [{ name: 'deploy' }] }, { text: 'It is live.' }]),
 * });
 *
 * const job = { journal: memoryJournal(), runId: 'deploy-1', approve: suspendApproval() };
 * const asked = await runAgent(agent, job);
 * if (asked.finishReason !== 'suspended') throw new Error('The run did not ask.');
 * // Later, and in any process.
 * const answers = asked.pending.map(({ id, digest }) => ({ id, digest, approved: true }) as const);
 * const run = await runAgent(agent, { ...job, answers });
 * console.log(run.finishReason === 'suspended' ? run.pending : run.text); // It is live.
 * ```
 *
 * @throws {PromptValidationError} for an option of the wrong kind.
 * @see docs/spec/durable-runs.md §6
 */
export function suspendApproval(options: SuspendApprovalOptions = {}): ApprovalSuspension {
  assertOptions('suspendApproval()', options, {
    expiresMs: number({ min: 1 }),
    scope: matching(/./s, 'a text that is not empty'),
    onPending: 'function',
  });
  return Object.freeze({ kind: 'approval-suspension', ...options });
}

/** Whether a run ends with its questions. */
export function isSuspension(approve: unknown): approve is ApprovalSuspension {
  return isRecord(approve) && approve['kind'] === 'approval-suspension';
}
