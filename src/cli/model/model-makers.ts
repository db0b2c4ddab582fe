import type { ProviderAdapter } from '../../core/evaluation/index.ts';
import { present } from '../../core/internal/index.ts';
import type { AgentLine } from './agent-line.ts';
import { loadPackageModel, type PackageModel } from './ai-sdk-package.ts';
import type { Vendor } from './model-choice.ts';

/** Options for an adapter of a vendor. */
export interface VendorModel {
  readonly model: string;
  /** The name shown to users. */
  readonly name: string;
  readonly apiKey?: string;
  /** Replaces a key, where the vendor supports tokens. */
  readonly authToken?: string;
  readonly baseURL?: string;
  /** The longest wait for the next sign of the provider. Default: that of the adapter. */
  readonly timeoutMs?: number;
}

/** Creates adapters. Each is loaded only when a run selects it. May throw `MissingPeerError`. */
export type ModelMakers = Readonly<
  Record<Vendor, (options: VendorModel) => Promise<ProviderAdapter>> & {
    'ai-sdk': (options: PackageModel & Pick<VendorModel, 'name' | 'timeoutMs'>) => Promise<ProviderAdapter>;
    'claude-agent': (options: { readonly model?: string; readonly name: string }) => Promise<ProviderAdapter>;
    acp: (options: AgentLine & { readonly name: string }) => Promise<ProviderAdapter>;
  }
>;

/** For OpenAI, Anthropic and compatible servers, for packages of the AI SDK, and for agents with loops of their own. */
export const modelMakers: ModelMakers = {
  openai: async ({ authToken: _none, ...options }) => {
    const { openai } = await import('../../providers/openai/index.ts');
    return openai(options);
  },
  anthropic: async (options) => {
    const { anthropic } = await import('../../providers/anthropic/index.ts');
    return anthropic(options);
  },
  'ai-sdk': async ({ name, timeoutMs, ...wanted }) => {
    const { aiSdk } = await import('../../providers/ai-sdk/index.ts');
    return aiSdk({ model: await loadPackageModel(wanted), name, ...present({ timeoutMs }) });
  },
  'claude-agent': async (options) => {
    const { claudeAgent } = await import('../../harness/claude-agent/index.ts');
    return claudeAgent(options);
  },
  acp: async (options) => {
    const { acp } = await import('../../harness/acp/index.ts');
    return acp(options);
  },
};
