import { present } from '../../internal/index.ts';
import type { TokenPrices } from '../../tool/index.ts';
import type { LanguageModel } from './model.ts';

/** One of the models of a run that has several. */
export interface NamedModel {
  /** Identifies it among them, such as `openai/gpt-5`; in events, rows and responses. */
  readonly name: string;
  readonly model: LanguageModel;
}

/** One of them, for observers. */
export interface DescribedModel {
  readonly name: string;
  readonly provider?: string;
  readonly model: string;
  readonly prices?: TokenPrices;
}

/** Several models as one, which a run asks in their order: the next one when the present one cannot answer. */
export interface LanguageModels extends LanguageModel {
  readonly '~models': readonly NamedModel[];
}

/** The models that a model represents; undefined for one that represents itself. */
export function modelsOf(model: object & Partial<LanguageModels>): readonly NamedModel[] | undefined {
  return model['~models'];
}

/**
 * The models of one evaluation, and the one that it is with. It moves on to the next one only: the model that it has left is not asked again before the evaluation
 * ends, since each change begins a new cache.
 *
 * @see docs/spec/models.md §13
 */
export class ModelSequence {
  readonly models: readonly NamedModel[];
  readonly #answered = new Set<string>();
  #current: NamedModel;

  private constructor(models: readonly NamedModel[], first: NamedModel) {
    this.models = models;
    this.#current = first;
  }

  /**
   * The models of an evaluation; undefined where it has one.
   *
   * @param outer of the evaluation around it: it begins with the model that this one is with.
   */
  static of(model: object & Partial<LanguageModels>, outer?: ModelSequence): ModelSequence | undefined {
    const models = modelsOf(model);
    const first = models?.[0];
    if (models === undefined || first === undefined) return undefined;
    const sequence = new ModelSequence(models, first);
    if (outer !== undefined) sequence.moveTo(outer.current.name);
    return sequence;
  }

  /** The one that is asked. */
  get current(): NamedModel {
    return this.#current;
  }

  /** The one after it; undefined for the last one. */
  get next(): NamedModel | undefined {
    return this.models[this.models.indexOf(this.#current) + 1];
  }

  /** Names of those that have answered, in the order of their first answers. */
  get answered(): readonly string[] {
    return [...this.#answered];
  }

  named(name: string): NamedModel | undefined {
    return this.models.find((model) => model.name === name);
  }

  /** Is with the model of this name from now on. A name that is not there changes nothing. */
  moveTo(name: string): void {
    this.#current = this.named(name) ?? this.#current;
  }

  described(): readonly DescribedModel[] {
    return this.models.map(({ name, model }) => {
      const { provider, prices } = model;
      return { name, ...present({ provider }), model: model.model ?? model.name, ...present({ prices }) };
    });
  }

  /** A model has answered. */
  hasAnswered(name: string): void {
    this.#answered.add(name);
  }

  /** What a model costs; of one that is not there, what the present one does. */
  pricesOf(name: string | undefined): LanguageModel['prices'] {
    return ((name === undefined ? undefined : this.named(name)) ?? this.#current).model.prices;
  }
}
