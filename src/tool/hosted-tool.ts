import { assertOptions, describeError, PromptValidationError } from '../error/index.ts';
import { freezeJson, type JsonObject } from '../schema/index.ts';
import type { HostedToolOutput } from './hosted-output.ts';
import { assertDescription, assertToolName } from './names.ts';

/**
 * A tool that the provider runs itself: outside policies and transactions. How its config is sent and its output read is
 * up to the adapter's codec for its kind.
 */
export interface HostedTool<
  out Config extends JsonObject = JsonObject,
  out Output extends HostedToolOutput = HostedToolOutput,
> {
  readonly kind: 'hosted-tool';
  /** Which codec speaks for it, for example `web_search`. */
  readonly hostedKind: string;
  readonly name: string;
  /** 1 to 200 characters. */
  readonly description: string;
  readonly config: Config;
  /** Never there: the type of the outputs, for `hostedOutputsOf`. */
  readonly '~output'?: Output;
}

/**
 * Declares a tool that the provider runs.
 *
 * @param options.kind name of the codec, the same rule as for tool names.
 * @param options.config plain JSON for the codec; frozen.
 * @throws {PromptValidationError} for a kind, name, description or config that cannot be used.
 */
export function hostedTool<
  const Config extends JsonObject,
  Output extends HostedToolOutput = HostedToolOutput,
>(options: {
  readonly kind: string;
  readonly name: string;
  readonly description: string;
  readonly config: Config;
}): HostedTool<Config, Output> {
  assertOptions('hostedTool()', options);
  const { kind, name, config } = options;
  assertToolName(name);
  assertKind(kind, name);
  const description = assertDescription(options.description, `hosted tool "${name}"`, { tool: name });
  if (typeof config !== 'object' || config === null || Array.isArray(config)) {
    throw new PromptValidationError(`The config of hosted tool "${name}" must be an object.`, {
      details: { tool: name, placeholder: 'config' },
    });
  }
  try {
    freezeJson(config, `the config of hosted tool "${name}"`);
  } catch (cause) {
    throw new PromptValidationError(
      `The config of hosted tool "${name}" cannot be used: ${describeError(cause)}`,
      {
        cause,
        details: { tool: name, placeholder: 'config' },
      },
    );
  }
  return Object.freeze({ kind: 'hosted-tool', hostedKind: kind, name, description, config });
}

function assertKind(kind: unknown, name: string): void {
  if (typeof kind === 'string' && /^[a-z0-9_-]{1,64}$/.test(kind)) return;
  throw new PromptValidationError(
    `The kind of hosted tool "${name}" must be 1 to 64 lower-case letters, digits, "_" or "-".`,
    { details: { tool: name, placeholder: 'kind' } },
  );
}
