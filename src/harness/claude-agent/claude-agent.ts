import { assertOptions, PromptValidationError } from '../../core/error/index.ts';
import type { ProviderAdapter } from '../../core/evaluation/index.ts';
import { present } from '../../core/internal/index.ts';
import type { ModelSettings, ReasoningEffort, TokenPrices } from '../../core/tool/index.ts';
import { harnessAdapter } from '../kit/index.ts';
import { ClaudeHarness, isEffort } from './claude-harness.ts';
import type { ClaudeAgentSdk } from './sdk.ts';

/** Options of {@link claudeAgent}. Everything is optional. */
export interface ClaudeAgentOptions {
  /** The model, as Claude Code names it. Default: the one that Claude Code chooses. */
  readonly model?: string;
  /**
   * Tools of Claude Code that its model gets beside those of the prompt, such as `Read`, `Edit` and `Bash`. They work on a copy of the files of the prompt, which must bind a
   * `Filesystem`; what they have changed is put on these files with each answer, in one call of `harness_files` that policies judge. What a
   * command of `Bash` does outside of the copy is not undone. Default: none.
   */
  readonly builtinTools?: readonly string[];
  /** Settings of the model; those of an evaluation take precedence. Default: those of Claude Code. */
  readonly settings?: { readonly reasoningEffort?: ReasoningEffort };
  /**
   * Variables for Claude Code, over those that it gets: `PATH`, locale, proxies, and its credentials of this process (`ANTHROPIC_API_KEY`, `ANTHROPIC_AUTH_TOKEN`,
   * `ANTHROPIC_BASE_URL`, `CLAUDE_CODE_OAUTH_TOKEN`). `HOME` and `CLAUDE_CONFIG_DIR` are a private folder. Default: none.
   */
  readonly env?: Readonly<Record<string, string>>;
  /** Path of the program of Claude Code. Default: the one that comes with the SDK. */
  readonly executable?: string;
  /** What the model costs, for budgets that do not say. Default: not known; a budget that limits the cost is then refused. */
  readonly prices?: TokenPrices;
  /** What handlers evaluate prompts on: the adapter of a model. Default: such an evaluation fails, and with it the call. */
  readonly adapter?: ProviderAdapter;
  /** Shown in events and errors. Default: `claude-agent`. */
  readonly name?: string;
  /** Takes the place of the package `@anthropic-ai/claude-agent-sdk`. Default: the package. */
  readonly sdk?: ClaudeAgentSdk;
}

/**
 * An adapter that runs agents on Claude Code, through the package `@anthropic-ai/claude-agent-sdk`: Claude Code asks its model, and the model calls the tools of the prompt in
 * this process. Each evaluation starts a process of its own, with a clean environment, without the user's settings, and without the tools of Claude Code.
 *
 * @throws {PromptValidationError} for an option of the wrong kind.
 * @throws {MissingPeerError} when an evaluation starts and the package, or `@modelcontextprotocol/server`, is not installed: as the cause of its error.
 * @see docs/spec/harnesses.md §6
 */
export function claudeAgent(options: ClaudeAgentOptions = {}): ProviderAdapter {
  assertOptions('claudeAgent()', options, {
    model: 'string',
    builtinTools: 'array',
    settings: 'object',
    env: 'object',
    executable: 'string',
    prices: 'object',
    adapter: 'object',
    name: 'string',
    sdk: 'object',
  });
  const {
    adapter,
    builtinTools = [],
    env = {},
    executable,
    model,
    name,
    prices,
    sdk,
    settings = {},
  } = options;
  checkBuiltinTools(builtinTools);
  checkSettings(settings);
  return harnessAdapter({
    harness: new ClaudeHarness({
      model,
      builtinTools: [...builtinTools],
      settings,
      env,
      executable,
      prices,
      sdk,
    }),
    ...present({ adapter, name }),
  });
}

function checkBuiltinTools(builtinTools: readonly unknown[]): void {
  const wrong = builtinTools.find((tool) => typeof tool !== 'string' || !/^[A-Za-z]+$/.test(tool));
  if (wrong === undefined) return;
  throw new PromptValidationError(
    `claudeAgent(): builtinTools must be names of tools of Claude Code, such as "Read"; got ${JSON.stringify(wrong)}.`,
    { details: { option: 'builtinTools' } },
  );
}

function checkSettings(settings: ModelSettings): void {
  for (const [name, value] of Object.entries(settings)) {
    if (value === undefined) continue;
    const isGood = name === 'reasoningEffort' && typeof value === 'string' && isEffort(value);
    if (isGood) continue;
    throw new PromptValidationError(
      `claudeAgent(): settings.${name} cannot be used. There is reasoningEffort: low, medium, high, xhigh or max.`,
      { details: { option: `settings.${name}` } },
    );
  }
}
