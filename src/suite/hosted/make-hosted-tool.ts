import type { JsonObject } from '../../schema/index.ts';
import { type HostedTool, type HostedToolOutput, hostedTool } from '../../tool/index.ts';
import type { ConfigCheck } from './config-check.ts';

/** How the model and the results know a hosted tool. */
export interface HostedToolTexts {
  /** Its name in the prompt, unique among all tools. Default: the name of its kind, or the label of a remote server. */
  readonly name?: string;
  /** 1 to 200 characters, for people and for providers that take one. A default is provided. */
  readonly description?: string;
}

/** A hosted tool of one kind with its config checked and copied. */
export function makeHostedTool<Config extends JsonObject, Output extends HostedToolOutput>(
  defaults: { readonly kind: string; readonly name: string; readonly description: string },
  check: ConfigCheck<Config>,
  config: Config,
  { name = defaults.name, description = defaults.description }: HostedToolTexts,
): HostedTool<Config, Output> {
  const checked = check(config, { tool: name, path: '' });
  return hostedTool<Config, Output>({ kind: defaults.kind, name, description, config: checked });
}
