import { describeError } from '../../error/index.ts';
import { none, present, wellFormedSaid } from '../../internal/index.ts';
import type { JsonSchema } from '../../schema/index.ts';
import type { ModelSettings, ToolChoice } from '../../tool/index.ts';
import { RunStoppedSignal } from '../limits/run-stop.ts';
import { askThrottled, type ThrottleContext } from '../limits/throttle.ts';
import type { ThrottlePolicy } from '../limits/throttle-policy.ts';
import type { LanguageModel, ModelCallOptions, ModelRequest, ModelTurn } from '../model/model.ts';
import { TurnChoices } from '../model/turn-choices.ts';
import type { StreamedAnswer } from '../turn/delta-stream.ts';
import type { TurnLedger } from '../turn/turn-ledger.ts';
import { askModels } from './ask-models.ts';

/** How the model of a run is asked. */
export interface ModelOptions {
  readonly model: LanguageModel;
  readonly outputSchema: JsonSchema | undefined;
  readonly toolChoice: ToolChoice;
  readonly settings: ModelSettings;
  /** How a model that could not answer is asked again. Default: it is not. */
  readonly throttle?: ThrottlePolicy | undefined;
  /** Whether answers are asked for piece by piece. Default: false. */
  readonly streaming?: boolean | undefined;
}

/** Asks the model of a run for its turns, with what the prompt shows at the time. */
export class ModelCaller {
  readonly #options: ModelOptions;
  readonly #ledger: TurnLedger;
  readonly #throttle: ThrottleContext;
  readonly #choices: TurnChoices;
  #generateOptions: ModelCallOptions | undefined;
  #checked: ModelRequest['hostedTools'];

  constructor(options: ModelOptions, ledger: TurnLedger) {
    this.#options = options;
    this.#ledger = ledger;
    const { clock, deadline, display, emit, stop } = ledger.environment;
    this.#throttle = {
      policy: options.throttle,
      clock,
      stop,
      deadline,
      onRetry: ({ attempt, delayMs, error }) => {
        const { kind: reason, message } = error;
        const { turn } = ledger.state;
        const isVoid = ledger.voidCharacters();
        emit({ type: 'model-call-retry', turn, attempt, delayMs, reason, message, ...isVoid });
      },
    };
    this.#checked = display.rendered.hostedTools;
    this.#choices = new TurnChoices(options.toolChoice, display);
  }

  /**
   * One turn of the model, as a step of the run.
   *
   * @throws {PromptEvaluationError} when the run was stopped.
   * @throws what the model failed with.
   */
  async ask(): Promise<ModelTurn> {
    const { outputSchema, settings } = this.#options;
    const choices = this.#choices;
    const ledger = this.#ledger;
    const { environment, state, errors, step } = ledger;
    const { display, stop } = environment;
    display.update();
    if (display.rendered.hostedTools !== this.#checked) this.#checkHostedTools();
    const request = ledger.begin({
      instructions: display.rendered.text,
      tools: display.tools,
      deferredTools: display.deferredTools,
      deferredSections: display.deferredSections,
      hostedTools: display.rendered.hostedTools,
      providerTools: display.rendered.providerTools,
      toolChoice: state.hasAnswered ? choices.later : choices.first,
      settings,
      outputSchema,
    });
    this.#followRows(request.turn);
    const key = `turn-${request.turn}/model`;
    const answer =
      step === undefined
        ? this.#generate(request)
        : step({ kind: 'model-call', key, input: request }, () => this.#generate(request));
    try {
      return wellFormedSaid(await stop.race(answer));
    } catch (error) {
      const reason = error instanceof RunStoppedSignal ? error.reason : stop.reason;
      const stopped = reason === undefined ? undefined : errors.stopped(reason, 'request');
      ledger.failed(stopped ?? error);
      answer.then(
        (late) => ledger.countLate(request, late),
        () => undefined,
      );
      throw stopped ?? error;
    }
  }

  /** A run that is resumed, or compared with a record, is with the model that its rows say. */
  #followRows(turn: number): void {
    const { earlier, models, origin } = this.#ledger.environment;
    const known = models && earlier?.modelOf?.(origin.evaluationId, turn);
    if (known !== undefined) models?.moveTo(known);
  }

  /** Asks the model for one turn, in the context of the observers, again and again while the throttle allows it. One step: a journal keeps its end. */
  #generate(request: ModelRequest): Promise<ModelTurn> {
    const { observers, origin } = this.#ledger.environment;
    const { turn } = request;
    if (this.#options.streaming === true) this.#announceRestart(turn);
    if (observers.around === undefined) return this.#askUntilAnswered(request);
    const { evaluationId, promptName, parentCallIds: path = none } = origin;
    const scope = { kind: 'model-call', evaluationId, promptName, path, turn } as const;
    return observers.around(scope, () => this.#askUntilAnswered(request));
  }

  #askUntilAnswered(request: ModelRequest): Promise<ModelTurn> {
    const { models } = this.#ledger.environment;
    const ask = (): Promise<ModelTurn> => askThrottled(() => this.#ask(request), this.#throttle);
    return models === undefined ? ask() : askModels(models, this.#ledger, ask);
  }

  /** The model that the run is with. */
  get #model(): LanguageModel {
    return this.#ledger.environment.models?.current.model ?? this.#options.model;
  }

  /** Deltas are not rows: a program that has shown some before an interruption has to learn that they are void. */
  #announceRestart(turn: number): void {
    const { emit, hooks, origin } = this.#ledger.environment;
    if (hooks?.restartsAnswer?.(origin.evaluationId, turn) === true) emit({ type: 'answer-restarted', turn });
  }

  #ask(request: ModelRequest): ModelTurn | Promise<ModelTurn> {
    const { budget, clock, logger, stop } = this.#ledger.environment;
    // Others may have used it up since, while this one waited to be asked again.
    const reason = budget.isUnlimited ? undefined : this.#ledger.unaffordable();
    if (reason !== undefined) throw new RunStoppedSignal(reason);
    this.#generateOptions ??= { signal: stop.signal, logger, clock };
    const pieces = this.#options.streaming === true ? this.#ledger.pieces() : undefined;
    return pieces === undefined
      ? this.#model.generate(request, this.#generateOptions)
      : this.#askStreaming(request, pieces, this.#generateOptions);
  }

  async #askStreaming(
    request: ModelRequest,
    { complete, end, onDelta }: StreamedAnswer,
    options: ModelCallOptions,
  ): Promise<ModelTurn> {
    try {
      const turn = await this.#model.generate(request, { ...options, onDelta });
      complete();
      return turn;
    } finally {
      end();
    }
  }

  /** Opened sections may have hosted tools that the provider does not support. */
  #checkHostedTools(): void {
    const { tools, rendered } = this.#ledger.environment.display;
    const { hostedTools, providerTools } = rendered;
    const { model, outputSchema, settings } = this.#options;
    try {
      model.check?.({
        tools,
        hostedTools,
        toolChoice: this.#choices.first,
        settings,
        ...present({ outputSchema, providerTools: providerTools.length === 0 ? undefined : providerTools }),
      });
    } catch (cause) {
      const message = `The sections that were opened cannot be used: ${describeError(cause)}`;
      throw this.#ledger.errors.error('evaluation-render-failed', 'render', message, cause);
    }
    this.#checked = hostedTools;
  }
}
