import type { JsonObject } from '../schema/index.ts';

/**
 * A vendor's shape of tools that run here: the model asks in the shape that it was trained on, and each call becomes calls of tools of the prompt, with their transactions,
 * policies and records. An adapter that has no codec for its kind declares those tools instead.
 *
 * @see docs/spec/provider-tools.md §1
 */
export interface ProviderTool<out Config extends JsonObject = JsonObject> {
  readonly type: 'provider-tool';
  /** The vendor and its shape, such as `openai.shell`; the codec of an adapter for it translates the calls. */
  readonly kind: string;
  /** Plain JSON for the codec. */
  readonly config: Config;
  /** Names of the tools of the prompt that its calls become. */
  readonly uses: readonly string[];
  /** Names of the tools of the prompt that are not declared beside it, and are where an adapter has no codec for it. */
  readonly replaces: readonly string[];
  /** Those of `uses` that no model gets in another shape. Default: none. */
  readonly typedOnly?: readonly string[];
  /** The section that brings the tools, for the message where they lack, such as `shellSection()`. */
  readonly from?: string;
}
