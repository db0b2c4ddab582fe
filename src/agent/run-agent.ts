import { type AnyAgent, type PromptStream, streamOf } from '../core/evaluation/index.ts';
import type { ApprovalHandler, Approver } from '../core/runtime/index.ts';
import type { AgentRun, OutputOfAgent, ParamsOfAgent, RunAgentOptions } from './agent-run.ts';
import { type AgentRunExtras, evaluateAgent } from './evaluate-agent.ts';

/**
 * Runs an agent once: fills in what it leaves open, evaluates its prompt, asks its `conclude`, and writes the changes of the workspace.
 *
 * With a `journal` it begins a run under a new id. With a `journal` and a `runId` it continues the run of this name, or begins it: one that has its answer returns it again, one that
 * waits for answers returns its questions until it has them. So a job that is delivered twice is one call. What a run began with, its `input` and its `history`, is taken from the journal then; another `input` is refused.
 *
 * ```ts
 * import { defineAgent, promptTemplate, runAgent, section } from 'weakincentives';
 * import { scriptedAdapter } from 'weakincentives/testing';
 *
 * const task = section({ title: 'Task', key: 'task', template: 'Greet the user.' });
 * const greeter = defineAgent({ template: promptTemplate({ ns: 'docs', key: 'greeter', sections: [task] }) });
 * const run = await runAgent(greeter, { adapter: scriptedAdapter([{ text: 'Hello.' }]), input: 'Hi.' });
 * console.log(run.text); // Hello.
 * ```
 *
 * @returns the response, or the questions that the run waits for, with what became of the files. A `conflict` with another process is a value: the answer is there, and the files
 *   are not.
 * @throws {PromptValidationError} with `details.option`, before a model is asked: for an option that is unknown or out of its range, a workspace that is missing, not
 *   wanted or not limited as the agent says, params that are missing or invalid, and a missing adapter.
 * @throws {PromptEvaluationError} when the run ends early; code `evaluation-incomplete` when the agent's `conclude` returns a `failure`, or throws.
 * @throws {RunRefusedError} for a run that continues: `run-known-otherwise`, `run-cancelled` and `run-files-differ`.
 * @throws {SessionBusyError} while another run holds the session, or another process the run.
 * @throws {RunLostError} when the journal, or a disk after a decision, has failed.
 * @throws what the agent's `params`, `adapter` and `prepare`, or the workspace, throw.
 * @see docs/spec/evaluation.md §12
 */
export async function runAgent<G extends AnyAgent, A extends Approver = ApprovalHandler>(
  agent: G,
  options?: RunAgentOptions<ParamsOfAgent<G>, A>,
): Promise<AgentRun<OutputOfAgent<G>, A>> {
  return run(agent, options, {});
}

/**
 * The same run as {@link runAgent} as a stream of events: iterate over it with `for await`. It begins when the first event is requested, and waits for the one who takes
 * them; the last event is `run-result`, with what `runAgent` returns. Leaving the loop ends the run and rolls back the calls in flight. A run that continues is streamed, too.
 * The answers of the model are streamed unless `streaming` is false.
 *
 * ```ts
 * import { defineAgent, promptTemplate, section, streamAgent } from 'weakincentives';
 * import { scriptedAdapter } from 'weakincentives/testing';
 *
 * const task = section({ title: 'Task', key: 'task', template: 'Greet the user.' });
 * const greeter = defineAgent({ template: promptTemplate({ ns: 'docs', key: 'greeter', sections: [task] }) });
 * for await (const event of streamAgent(greeter, { adapter: scriptedAdapter([{ text: 'Hello.' }]) })) {
 *   if (event.type === 'run-result') console.log(event.response.text); // Hello.
 * }
 * ```
 *
 * @throws never itself: the iteration throws what `runAgent` rejects with, after the events before it.
 * @see docs/spec/evaluation.md §12
 */
export function streamAgent<G extends AnyAgent, A extends Approver = ApprovalHandler>(
  agent: G,
  options?: RunAgentOptions<ParamsOfAgent<G>, A>,
): PromptStream<OutputOfAgent<G>, AgentRun<OutputOfAgent<G>, A>> {
  return streamOf((stream) => run(agent, options, { stream }), Object(options).signal);
}

async function run<G extends AnyAgent, A extends Approver>(
  agent: G,
  options: RunAgentOptions<ParamsOfAgent<G>, A> | undefined,
  extras: AgentRunExtras,
): Promise<AgentRun<OutputOfAgent<G>, A>> {
  const outcome: unknown = await evaluateAgent(agent, options, extras);
  // The template yields what its type says, and a run is suspended only where `approve` suspends.
  return outcome as AgentRun<OutputOfAgent<G>, A>;
}
