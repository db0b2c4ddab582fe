import { OutputParseError } from '../../core/error/index.ts';
import type { ToolRuntimeCall, ToolRuntimeOutput } from '../../core/evaluation/index.ts';
import { present } from '../../core/internal/index.ts';
import type { AnswerOptions, ReadAnswer, TurnLedger } from '../../core/runtime/index.ts';
import type { FinishTool } from './finish-tool.ts';
import type { HarnessTurns } from './harness-turns.ts';

/** What {@link FinishedAnswer} works with. */
export interface FinishedAnswerOptions<Output> {
  readonly ledger: TurnLedger;
  readonly turns: HarnessTurns;
  readonly answer: AnswerOptions<Output>;
  /** Ends the run with this error. */
  readonly fail: (error: unknown) => void;
}

/** An answer that was accepted. */
interface TakenAnswer<Output> {
  readonly text: string;
  readonly read: ReadAnswer<Output>;
  readonly turn: number;
}

/** Takes the structured answer of a model by the tool `finish`. A wrong one is corrected by the result of the call. */
export class FinishedAnswer<Output> {
  readonly tool: FinishTool;
  readonly #options: FinishedAnswerOptions<Output>;
  #taken: TakenAnswer<Output> | undefined;

  constructor(tool: FinishTool, options: FinishedAnswerOptions<Output>) {
    this.tool = tool;
    this.#options = options;
  }

  /** The answer; undefined while there is none. */
  get taken(): TakenAnswer<Output> | undefined {
    return this.#taken;
  }

  /** The answer was not all that is wanted: the model is to give another one. */
  discard(): void {
    this.#taken = undefined;
  }

  /** @throws what the run ends with, when it was corrected as often as it may be. */
  async take(call: ToolRuntimeCall): Promise<ToolRuntimeOutput> {
    const { answer, ledger, turns } = this.#options;
    const { clock, stop } = ledger.environment;
    const turn = turns.open();
    const startedAtMs = clock.now();
    const text = this.tool.textOf(call);
    const reply = (message: string, success: boolean): ToolRuntimeOutput =>
      this.#output(call, { message, success, turn: turn.number, startedAtMs });
    if (this.#taken !== undefined) return reply('The answer was given already. End your turn.', false);
    try {
      const read = await stop.race(answer.read(text, typeof call.arguments !== 'string'));
      // Another call may have been faster.
      this.#taken ??= {
        text: read.json === undefined ? text : JSON.stringify(read.json),
        read,
        turn: turn.number,
      };
      turn.said(text);
      return reply('The answer was accepted. End your turn without another text.', true);
    } catch (error) {
      if (!OutputParseError.isInstance(error)) throw error;
      return reply(this.#correct(error, text), false);
    }
  }

  /** What the run has to say to a call that comes when the answer is there. */
  refuse(call: ToolRuntimeCall): ToolRuntimeOutput {
    const message = `The call of "${call.name}" was not run: the final answer was given. End your turn.`;
    const { environment, state } = this.#options.ledger;
    const { turn } = state;
    return this.#output(call, { message, success: false, turn, startedAtMs: environment.clock.now() });
  }

  /** @returns what the model reads of a wrong answer. */
  #correct(error: OutputParseError, text: string): string {
    const { answer, fail, ledger, turns } = this.#options;
    const { message: problem } = error;
    const turn = turns.open();
    if (!ledger.rejectOutput(problem, answer.maxRepairs)) {
      const ended = ledger.errors.error('evaluation-output-invalid', 'parse', problem, error);
      fail(ended);
      throw ended;
    }
    const correction = this.tool.correction(problem);
    turn.corrected(text, correction);
    return correction;
  }

  /** Such a call is not one of the run: it has no record, and its ids are nowhere else. */
  #output(
    { arguments: given, callId, name }: ToolRuntimeCall,
    end: {
      readonly message: string;
      readonly success: boolean;
      readonly turn: number;
      readonly startedAtMs: number;
    },
  ): ToolRuntimeOutput {
    const { clock, ids, origin } = this.#options.ledger.environment;
    const { message, startedAtMs, success, turn } = end;
    return {
      callId,
      toolName: name,
      text: message,
      isError: !success,
      invocation: {
        eventId: ids(),
        ...origin,
        callId,
        toolName: name,
        turn,
        ...present({ params: typeof given === 'string' ? undefined : given }),
        success,
        outcome: success ? 'committed' : 'rejected',
        ...present({ reason: success ? undefined : ('invalid-arguments' as const) }),
        message,
        rendered: '',
        modelText: message,
        attempts: 1,
        conflicts: [],
        startedAtMs,
        durationMs: clock.now() - startedAtMs,
        changes: [],
      },
    };
  }
}
