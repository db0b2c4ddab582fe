import type { Contender } from '../harness/row.ts';

export type LoopSystem = keyof typeof programs;

const programs = {
  'by hand': 'systems/by-hand',
  weakincentives: 'systems/weakincentives',
  '@earendil-works/pi-agent-core': 'systems/pi',
  '@mariozechner/pi-agent-core': 'systems/old-pi',
  '@tanstack/ai': 'systems/tanstack',
  ai: 'systems/ai',
  'ai-7': 'systems/ai-7',
  '@openai/agents': 'systems/openai-agents',
  '@langchain/langgraph': 'systems/langgraph',
} as const;

/** The newest pi, which targets mean. */
export const pi = '@earendil-works/pi-agent-core';
export const oldPi = '@mariozechner/pi-agent-core';

export const everyone = Object.keys(programs) as readonly LoopSystem[];
/** Those that run thousands of steps in a second or two. */
export const quickest: readonly LoopSystem[] = ['by hand', 'weakincentives', pi, oldPi];
/** Those that do not take minutes for 1,000 steps. `--quick` leaves the others out of most rows. */
export const quick: readonly LoopSystem[] = [...quickest, '@tanstack/ai', 'ai-7'];

/** Who is measured by a program of `bench/systems`. */
export function loopContender(name: LoopSystem, settings: Contender['settings'], figure: string): Contender {
  return { name, program: programs[name], settings, figure };
}
