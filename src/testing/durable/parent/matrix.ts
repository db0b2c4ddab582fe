import { ConformanceError } from '../../conformance/expect.ts';
import { type CaseKey, cases } from '../case-list.ts';
import { readLeft } from '../child/run-left.ts';
import { exits } from '../life.ts';
import type { DurableConformanceOptions, DurableFiles } from '../options.ts';
import { CaseFolder } from './case-folder.ts';
import { readEnd } from './end-of-case.ts';
import { judge } from './judge.ts';
import { type LastLife, oneRun, type Play, type WholeRun } from './play.ts';
import { anotherMachine, changedFile, otherProgram, otherState } from './play-folders.ts';
import { busyOwner, cancelledRun, fullJournal, tornAppend, wokenOwner } from './play-journals.ts';
import { crashLoop, inARow, inKinds, randomly, stopped, threeRuns } from './play-kills.ts';
import { doneOnce } from './play-once.ts';
import { saidToRun } from './play-said.ts';
import { randomNumbers } from './random.ts';
import type { LifeEnd } from './start-life.ts';

const defaultKills = 4;

/** The cases of one kit. */
export class Matrix {
  readonly #options: DurableConformanceOptions;
  readonly #whole = new Map<string, Promise<WholeRun>>();

  constructor(options: DurableConformanceOptions) {
    this.#options = options;
  }

  /** Runs a case. @throws {ConformanceError} */
  async run(key: CaseKey, files: DurableFiles): Promise<void> {
    const { seed = 1, killsPerCase = defaultKills } = this.#options;
    const number = Object.keys(cases).indexOf(key);
    const name = cases[key];
    const folder: Play['folder'] = (runs = oneRun, script) =>
      new CaseFolder({ files, journal: this.#options.open, runs, script });
    const whole = (runs = oneRun): Promise<WholeRun> => this.#wholeRun(files, runs);
    const report: Play['report'] = (at, became) => this.#options.onOutcome?.({ name, files, at, became });
    const compare: Play['compare'] = async (of, at, overrides = {}) => {
      const found = { ...readEnd(of.path, of.runs), ...overrides };
      const became = judge({ at, struck: of.struck, whole: (await whole(of.runs)).end, end: found });
      report(at, became);
    };
    const end: Play['end'] = async (of, at, last) => {
      await finish(of, at, last);
      await compare(of, at);
    };
    const strike: Play['strike'] = async (strokes) => {
      using of = folder();
      const at = strokes.map((stroke) => `${stroke.do} ${stroke.at}`);
      for (const stroke of strokes) await of.live({ stroke });
      await end(of, at);
    };
    const random = randomNumbers(seed * 1_000 + number * 2 + (files === 'memory' ? 0 : 1));
    await plays[key]({ files, killsPerCase, random, whole, folder, finish, compare, report, end, strike });
  }

  #wholeRun(files: DurableFiles, runs: readonly string[]): Promise<WholeRun> {
    const key = `${files} ${runs.join(' ')}`;
    const whole = this.#whole.get(key) ?? this.#liveWhole(files, runs);
    this.#whole.set(key, whole);
    return whole;
  }

  async #liveWhole(files: DurableFiles, runs: readonly string[]): Promise<WholeRun> {
    using folder = new CaseFolder({ files, journal: this.#options.open, runs, script: undefined });
    const { points } = await finish(folder, ['no point']);
    return { end: readEnd(folder.path, runs), points };
  }
}

async function finish(folder: CaseFolder, at: readonly string[], last: LastLife = {}): Promise<LifeEnd> {
  const end = await folder.live(last);
  if (end.code === exits.finished) return end;
  const left = folder.runs
    .map((runId) => readLeft(folder.path, runId))
    .find((each) => each?.error !== undefined);
  throw new ConformanceError(
    `Killed or stopped at ${at.join(', then ')}: the run that continued ended with ${end.code ?? end.signal}. ${left?.error ?? end.problems}`,
    { code: 'journal-not-conformant', actual: left },
  );
}

/** What each case does. */
const plays: Readonly<Record<CaseKey, (play: Play) => Promise<void>>> = {
  rows: inKinds(/^append /),
  model: inKinds(/^model /),
  handlers: inKinds(/^(count|look|fail|move|clean|undo|nested|book) /),
  outside: inKinds(/^(send|mail|post|ledger|asked) /),
  callbacks: inKinds(/^(policy|feedback|completion|subscriber) /),
  disk: inKinds(/^disk /),
  random: randomly,
  'in-a-row': inARow,
  abort: stopped('abort'),
  deadline: stopped('deadline'),
  full: fullJournal,
  torn: tornAppend,
  woken: wokenOwner,
  busy: busyOwner,
  cancelled: cancelledRun,
  said: saidToRun,
  'crash-loop': crashLoop,
  'three-runs': threeRuns,
  'other-state': otherState,
  'other-program': otherProgram,
  changed: changedFile,
  'another-machine': anotherMachine,
  once: doneOnce,
};
