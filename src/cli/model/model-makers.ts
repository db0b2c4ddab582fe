import type { ProviderAdapter } from '../../evaluation/index.ts';
import { loadPackageModel, type PackageModel } from './ai-sdk-package.ts';
import type { Vendor } from './model-choice.ts';

/** What an adapter of a vendor is made from. */
export interface VendorModel {
  readonly model: string;
  /** Shown to people. */
  readonly name: string;
  readonly apiKey?: string;
  /** In place of a key, where the vendor knows such tokens. */
  readonly authToken?: string;
  readonly baseURL?: string;
}

/** Makes adapters. Each is loaded only when a run asks for it. May throw `MissingPeerError`. */
export type ModelMakers = Readonly<
  Record<Vendor, (options: VendorModel) => Promise<ProviderAdapter>> & {
    'ai-sdk': (options: PackageModel & { readonly name: string }) => Promise<ProviderAdapter>;
  }
>;

/** For OpenAI, Anthropic and servers that speak as they do, and for packages of the AI SDK. */
export const modelMakers: ModelMakers = {
  openai: async ({ authToken: _none, ...options }) => {
    const { openai } = await import('../../openai/index.ts');
    return openai(options);
  },
  anthropic: async (options) => {
    const { anthropic } = await import('../../anthropic/index.ts');
    return anthropic(options);
  },
  'ai-sdk': async ({ name, ...wanted }) => {
    const { aiSdk } = await import('../../ai-sdk/index.ts');
    return aiSdk({ model: await loadPackageModel(wanted), name });
  },
};
