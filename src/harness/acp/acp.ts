import { assertOptions, matching, required } from '../../core/error/index.ts';
import type { ProviderAdapter } from '../../core/evaluation/index.ts';
import { present } from '../../core/internal/index.ts';
import { harnessAdapter } from '../kit/index.ts';
import { acpHarness } from './acp-harness.ts';
import type { AcpOptions } from './acp-options.ts';

/**
 * An adapter for an agent that speaks the Agent Client Protocol: OpenCode, Codex through its bridge, Gemini CLI and others. The agent runs its own loop with its own model; its model gets
 * the tools of the prompt over the Model Context Protocol, and every call of them is a transaction under the policies of the prompt. Each run starts an agent of its own.
 *
 * The prompt is the beginning of the first message, since the protocol has no place for instructions. A structured answer is given by the tool `finish`. What the protocol does not
 * report, such as tokens and single turns, is refused as an option: `limits.budget`, `limits.maxTurns`.
 *
 * @throws {PromptValidationError} for an option of the wrong kind or out of its range.
 * @see docs/spec/harnesses.md §7
 */
export function acp(options: AcpOptions): ProviderAdapter {
  assertOptions('acp()', options, {
    command: required(matching(/./, 'the name or the path of a program')),
    args: 'array',
    env: 'object',
    cwd: 'string',
    permissions: 'function',
    name: 'string',
    adapter: 'object',
  });
  const { adapter, ...harness } = options;
  return harnessAdapter({
    harness: acpHarness(harness),
    ...present({ adapter }),
  });
}
