import { assertArgument, assertOptions, number, PromptValidationError } from '../../core/error/index.ts';
import { quotedList } from '../../core/internal/index.ts';
import { type Clock, systemClock } from '../../core/session/index.ts';
import { createManualClock } from '../doubles/manual-clock.ts';
import { answerCases } from './cases/answers.ts';
import { callCases } from './cases/calls.ts';
import { conversationCases } from './cases/conversation.ts';
import { endCases } from './cases/ends.ts';
import { failureCases } from './cases/failures.ts';
import { hostedCases } from './cases/hosted.ts';
import { promptCases } from './cases/prompts.ts';
import { providerItemCases } from './cases/provider-items.ts';
import { refusedCallCases } from './cases/refused-calls.ts';
import { usageCases } from './cases/usage.ts';
import {
  type ConformanceExtra,
  type ConformanceMode,
  type ConformancePeer,
  ScriptedProvider,
} from './peer.ts';
import { type CaseDefinition, Stage } from './stage.ts';

/** One requirement on an adapter. */
export interface ConformanceCase {
  /** Unique among the cases of a peer. Includes the mode and, for a skipped case, the reason; for a refused one the option. */
  readonly name: string;
  /** Why the case is skipped; `run` then does nothing. Absent for a case that runs. */
  readonly skipped?: string;
  /** Rejects with a `ConformanceError` when the adapter does not meet it. May be called several times. */
  run(): Promise<void>;
}

/** Options of {@link adapterConformance}. */
export interface ConformanceOptions {
  /** Milliseconds that a case waits for an event before it fails. A conforming adapter never reaches the limit. Default: 10,000. */
  readonly patienceMs?: number;
  /** Measures `patienceMs`. Default: the system clock. */
  readonly clock?: Clock;
}

const modes: readonly ConformanceMode[] = ['whole', 'streamed'];
const definitions: readonly CaseDefinition[] = [
  ...answerCases,
  ...callCases,
  ...refusedCallCases,
  ...promptCases,
  ...conversationCases,
  ...usageCases,
  ...hostedCases,
  ...providerItemCases,
  ...failureCases,
  ...endCases,
];

/**
 * The requirements on every adapter, as cases for any test runner: `for (const { name, run } of adapterConformance(peer))
 * test(name, run)`. Each runs twice, with whole and with streamed answers. Cases that need a feature listed in `gaps` are
 * included and have the reason in `skipped`; those that need what is not among the `extras` of the peer are not. Cases named in `refused` demand that the adapter refuses them.
 *
 * Cases open their own connections and share nothing. They use a manual clock.
 *
 * @throws {PromptValidationError} for the name of a refused case that does not exist.
 */
export function adapterConformance(
  peer: ConformancePeer,
  options: ConformanceOptions = {},
): readonly ConformanceCase[] {
  assertArgument('adapterConformance()', 'peer', peer, 'object');
  assertOptions('adapterConformance()', options, { patienceMs: number({ above: 0 }), clock: 'object' });
  assertRefusedCases(peer);
  const { extras = [] } = peer;
  const hasExtras = ({ needs = [] }: CaseDefinition): boolean =>
    needs.every((need) => !isExtra(need) || extras.includes(need));
  return definitions
    .filter(hasExtras)
    .flatMap((definition) =>
      modes
        .filter((mode) => definition.modes?.includes(mode) ?? true)
        .map((mode) => toCase(definition, mode, peer, options)),
    );
}

function toCase(
  definition: CaseDefinition,
  mode: ConformanceMode,
  peer: ConformancePeer,
  options: ConformanceOptions,
): ConformanceCase {
  const name = `${peer.name}, ${mode}: ${definition.name}`;
  const skipped = findGap(definition, mode, peer);
  if (skipped !== undefined) {
    return { name: `${name} (skipped: ${skipped})`, skipped, run: async () => undefined };
  }
  const option = peer.refused?.find((each) => each.name === definition.name)?.option;
  return {
    name: option === undefined ? name : `${name} (refused: ${option})`,
    run: () => play(definition, mode, peer, options, option),
  };
}

const everyExtra = new Set<unknown>([
  'compaction',
  'failed-compaction',
  'compaction-pause',
  'compaction-usage',
  'program-calls',
  'client-items',
] satisfies readonly ConformanceExtra[]);

function isExtra(need: unknown): need is ConformanceExtra {
  return everyExtra.has(need);
}

function assertRefusedCases({ name, refused = [] }: ConformancePeer): void {
  const unknown = refused.filter((each) => !definitions.some((definition) => definition.name === each.name));
  if (unknown.length === 0) return;
  throw new PromptValidationError(
    `adapterConformance(): the peer "${name}" declares refused cases that do not exist: ${quotedList(unknown.map((each) => each.name))}.`,
    { details: { option: 'refused' } },
  );
}

function findGap(
  definition: CaseDefinition,
  mode: ConformanceMode,
  { gaps = [] }: ConformancePeer,
): string | undefined {
  const needs = [...(mode === 'streamed' ? (['streaming'] as const) : []), ...(definition.needs ?? [])];
  const gap = gaps.find(
    ({ feature, mode: where = mode }) => where === mode && needs.some((need) => need === feature),
  );
  return gap && `${gap.feature}: ${gap.why}`;
}

/** @param refusedOption makes the case end with the evaluation that the adapter has to refuse. */
async function play(
  definition: CaseDefinition,
  mode: ConformanceMode,
  peer: ConformancePeer,
  { patienceMs: limitMs = 10_000, clock: patienceClock = systemClock }: ConformanceOptions,
  refusedOption: string | undefined,
): Promise<void> {
  const clock = createManualClock();
  const provider = new ScriptedProvider(definition.script, clock);
  await using stage = new Stage({
    mode,
    clock,
    provider,
    connection: await peer.connect(provider),
    patience: { clock: patienceClock, limitMs },
    timeoutMs: peer.timeoutMs ?? 600_000,
    refusedOption,
  });
  if (refusedOption === undefined) {
    await definition.play(stage);
    stage.expectRequests(definition.script.length);
    return;
  }
  const failure = await definition.play(stage).catch((error: unknown) => error);
  stage.expectRefusal(failure);
}
