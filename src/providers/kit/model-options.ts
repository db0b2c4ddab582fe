import {
  number,
  type OptionRule,
  type OptionsOf,
  oneOf,
  PromptValidationError,
} from '../../core/error/index.ts';
import { priceChecks } from '../../core/runtime/index.ts';
import type { ModelSettings, TokenPrices } from '../../core/tool/index.ts';
import type { HostedToolCodecTable } from './hosted/hosted-tool-codec.ts';
import type { UnsupportedConfig } from './hosted/hosted-tool-registry.ts';
import type { ProviderToolCodecTable } from './typed/provider-tool-codec.ts';

/** Options that mean the same for all vendors. */
export interface SharedModelOptions {
  /**
   * Name in events and errors; also identifies the adapter's own items in a conversation. Use different names for servers that
   * do not accept each other's items. Default: the name of the vendor, such as `openai`; with the AI SDK the model's provider and name, such as
   * `anthropic.messages/claude-sonnet-4-5`.
   */
  readonly name?: string;
  /**
   * Settings of every request: provider-neutral ones, such as `{ maxOutputTokens: 2_000, reasoningEffort: 'low' }`, and others in the provider's format. The
   * `settings` of an evaluation take precedence. Default: none.
   */
  readonly settings?: ModelSettings;
  /**
   * How long the provider may give no sign of an answer, in milliseconds: headers, a part of the body, a ping or an event. Such a pause ends the request like a
   * lost connection, and it may be sent again (option `retry`). What a client shows counts: one of your own shows no pings, and with the AI SDK, or such a
   * client, a whole answer is one sign. A deadline of the run can end the request sooner. Default: 600,000.
   */
  readonly timeoutMs?: number;
  /** Prices of the model, for budgets without prices. Default: unknown; a budget that limits the cost is then an error. */
  readonly prices?: TokenPrices;
  /** Codecs by kind of hosted tool, beside those of the adapter or in place of them. Default: none. */
  readonly hostedToolCodecs?: HostedToolCodecTable;
  /** Codecs by kind of provider tool, beside those of the adapter or in place of them. Default: none. */
  readonly providerToolCodecs?: ProviderToolCodecTable;
  /**
   * What to do when the config of a hosted tool has an option that the provider does not support, such as a limit on web
   * searches. `'warn'`: the tool runs without it, and a warning is logged. Default: `'error'`.
   */
  readonly unsupportedConfig?: UnsupportedConfig;
}

/** With a client of your own, or with options to create one. */
export type ClientChoice<Client, ClientOptions> =
  | ({
      /** In place of the options that create one. It must not retry: the run does. */
      readonly client: Client;
    } & { readonly [Key in keyof ClientOptions]?: never })
  | (ClientOptions & { readonly client?: never });

/** What options that the adapters of all vendors share must be. What is in the settings, and in headers, is up to the provider. @internal */
export const modelChecks: OptionsOf<SharedModelOptions> = {
  name: 'string',
  settings: 'object',
  timeoutMs: number({ above: 0 }),
  prices: priceChecks,
  hostedToolCodecs: 'object',
  providerToolCodecs: 'object',
  unsupportedConfig: oneOf(['error', 'warn']),
};

/** ASCII characters in a token of Claude: about what its tokenizers make of English and of code. @internal */
export const claudeCharactersPerToken = 3.5;

/** Where opened tools go. @internal */
export const openedToolsCheck: OptionRule<'append' | 'in-place'> = oneOf(['append', 'in-place']);

/** Where they go with models of OpenAI. @internal */
export const searchedToolsCheck: OptionRule<'append' | 'in-place' | 'tool-search'> = oneOf([
  'append',
  'in-place',
  'tool-search',
]);

/**
 * @param adapter name of the adapter, for messages.
 * @param clientKeys options from which a client is created; they exclude a given client.
 * @throws {PromptValidationError} for options that exclude each other or are invalid.
 * @internal
 */
export function checkModelOptions<Options extends { readonly model: string; readonly client?: unknown }>(
  adapter: string,
  options: Options,
  clientKeys: readonly (keyof Options & string)[],
): void {
  const { model, client } = options;
  if (typeof model !== 'string' || model === '')
    throw fault(`The ${adapter} adapter needs the name of a model.`, 'model');
  const clash = clientKeys.find((key) => options[key] !== undefined);
  if (client !== undefined && clash !== undefined) {
    throw fault(
      `The ${adapter} adapter was given a client and the option ${clash}; set it on the client instead.`,
      clash,
    );
  }
}

/**
 * The client: the given one, or one created from the options with these keys when it is first used. After a failed creation
 * the next call tries again.
 *
 * @internal
 */
export function lazyClient<Client, Options extends object>(
  { client, ...options }: Options & { readonly client?: Client | undefined },
  keys: readonly string[],
  create: (options: Options) => Promise<Client>,
): () => Client | Promise<Client> {
  if (client !== undefined) return () => client;
  const clientOptions = Object.entries(options).filter(
    ([key, value]) => keys.includes(key) && value !== undefined,
  );
  let made: Promise<Client> | undefined;
  return () => {
    // These are the entries of the options without undefined values and options that the client does not know.
    made ??= create(Object.fromEntries(clientOptions) as Options).catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}

function fault(message: string, option: string): PromptValidationError {
  return new PromptValidationError(message, { details: { option } });
}
