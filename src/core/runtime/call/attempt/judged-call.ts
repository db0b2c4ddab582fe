import { SchemaError } from '../../../error/index.ts';
import { type DataCopy, frozenCopy, whenSettled, writableCopy } from '../../../internal/index.ts';
import type { PolicyCall } from '../../../policy/index.ts';
import { describeIssues, type ParseOutcome, parseInput } from '../../../schema/index.ts';
import type { AnyTool } from '../../../tool/index.ts';
import type { EvaluationEnvironment } from '../environment/environment.ts';
import type { ResolvedCall } from '../tool-call/tool-call.ts';

/** The attempt at a call that is judged. */
interface JudgedAttempt {
  readonly environment: EvaluationEnvironment;
  readonly resolved: ResolvedCall;
  readonly tool: AnyTool;
}

/**
 * The call as policies get it. Nothing that one of them does to it reaches another one, the handler, an approver or the record, and nothing
 * that the handler does to its arguments reaches a policy.
 *
 * @see docs/spec/tool-calls.md §3
 */
export class JudgedCall {
  readonly #attempt: JudgedAttempt;
  /** Made before the handler begins; undefined for arguments that cannot be copied. */
  readonly #copy: DataCopy | undefined;
  #shared: PolicyCall | undefined;

  /** @param params as the input schema made them. */
  constructor(attempt: JudgedAttempt, params: unknown) {
    this.#attempt = attempt;
    this.#copy = frozenCopy(params);
  }

  /** The call for one policy: the same for all where it cannot be changed. Throws or rejects when the arguments cannot be read again. */
  forPolicy(): PolicyCall | PromiseLike<PolicyCall> {
    if (this.#copy === undefined) return this.#readAgain();
    const { value, isFrozen } = this.#copy;
    if (!isFrozen) return this.#with(frozenCopy(value)?.value);
    this.#shared ??= this.#with(value);
    return this.#shared;
  }

  #with(params: unknown): PolicyCall {
    const { environment, resolved, tool } = this.#attempt;
    return Object.freeze({ tool, params, callId: resolved.call.callId, path: environment.outerCalls });
  }

  /** With the arguments through the input schema once more, where it makes what cannot be copied. */
  #readAgain(): PolicyCall | PromiseLike<PolicyCall> {
    const { resolved, tool } = this.#attempt;
    if (tool.compiledInput === undefined) return this.#with(undefined);
    const reading = parseInput(tool.compiledInput, writableCopy(resolved.params));
    return whenSettled(reading, (outcome: ParseOutcome<unknown>) => {
      if (outcome.ok) return this.#with(outcome.value);
      throw new SchemaError(
        'value-invalid',
        `The arguments of "${tool.name}" fit its input schema once and do not fit it again:\n${describeIssues(outcome.issues)}\nA schema must yield the same value each time.`,
        { details: { issues: outcome.issues } },
      );
    });
  }
}
