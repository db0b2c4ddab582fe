import assert from 'node:assert/strict';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import type { ProviderAdapter } from 'weakincentives';
import { aiSdk } from 'weakincentives/ai-sdk';
import { anthropic } from 'weakincentives/anthropic';
import { openai } from 'weakincentives/openai';

/** The clients of the vendors fit as they are. */
const adapters: readonly ProviderAdapter[] = [
  openai({ model: 'm', client: new OpenAI({ apiKey: 'none' }) }),
  anthropic({ model: 'm', client: new Anthropic({ apiKey: 'none' }) }),
];
const toAdapter = (model: LanguageModelV4): ProviderAdapter => aiSdk({ model });
assert.equal(adapters.length, 2);
assert.ok(toAdapter);

// @ts-expect-error a client of another vendor does not fit
assert.ok(() => openai({ model: 'm', client: new Anthropic({ apiKey: 'none' }) }));
