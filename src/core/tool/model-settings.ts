import type { JsonValue } from '../schema/index.ts';

/** How much a model thinks before it answers. Which of these a model knows is up to the provider. */
export type ReasoningEffort = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max';

/** Name of a setting that is the same with every provider. */
export type NeutralSetting =
  | 'maxOutputTokens'
  | 'temperature'
  | 'topP'
  | 'stopSequences'
  | 'seed'
  | 'reasoningEffort'
  | 'parallelToolCalls'
  | 'serviceTier';

/**
 * Settings of a model. Those named here are the same with every provider, and one that a provider does not have is refused
 * before any request. Every other key is passed on unchanged, as the provider defines it.
 */
export interface ModelSettings {
  /** Tokens that one answer may have, reasoning included: a whole number of at least 1. */
  readonly maxOutputTokens?: number;
  /** How varied the answers are: 0 for the most likely one; the largest value is the provider's. Default: the provider's. */
  readonly temperature?: number;
  /** The share of probability that tokens are drawn from, from 0 to 1. Default: the provider's. */
  readonly topP?: number;
  /** The answer ends before the first of these strings. */
  readonly stopSequences?: readonly string[];
  /** For answers that can be repeated, as far as the provider can. */
  readonly seed?: number;
  /** How much the model thinks before it answers. Default: the provider's. */
  readonly reasoningEffort?: ReasoningEffort;
  /** Whether the model may ask for several calls in one turn. Default: the provider's, which is true with most of them. */
  readonly parallelToolCalls?: boolean;
  /**
   * How fast, and at which price, requests are served: as usual, when there is room, or before others. Which of these a provider has is up to it, and it may serve a request in another tier: `serviceTier` of the event
   * `model-call-end` says which. Default: the provider's.
   */
  readonly serviceTier?: 'standard' | 'flex' | 'priority';
  readonly [setting: string]: JsonValue | undefined;
}

/** A service tier of a provider. */
export type ServiceTier = NonNullable<ModelSettings['serviceTier']>;

/** The settings that are the same with every provider. */
export const neutralSettings: readonly NeutralSetting[] = [
  'maxOutputTokens',
  'temperature',
  'topP',
  'stopSequences',
  'seed',
  'reasoningEffort',
  'parallelToolCalls',
  'serviceTier',
];
