import { none } from '../../core/internal/index.ts';
import type { EvaluationPlace } from '../../core/runtime/index.ts';
import type { RecordedCall, RecordedRun, RecordedTurn, RunRecord } from '../fold/run-record.ts';

/** Finds the parts of a record by what a running evaluation knows of itself. */
export class RecordIndex {
  readonly #record: RunRecord;
  readonly #runs = new Map<string, RecordedRun>();
  /** Runs inside calls that an evaluation of the replay has taken. */
  readonly #taken = new Set<RecordedRun>();

  constructor(record: RunRecord) {
    this.#record = record;
    for (const run of record.runs) this.#runs.set(run.evaluationId, run);
  }

  /** The recorded run of an evaluation that begins here; each is found once. */
  runAt({ path, attempt, evaluation }: EvaluationPlace): RecordedRun | undefined {
    if (path.length === 0) return this.#record.root;
    const key = path.join('/');
    const found = this.#record.runs
      .filter(
        (run) =>
          run.parent?.evaluation === evaluation && !this.#taken.has(run) && pathOf(run).join('/') === key,
      )
      // The very attempt, or else the last one: what was superseded need not be so again.
      .sort((left, right) => distance(left, attempt) - distance(right, attempt))[0];
    if (found !== undefined) this.#taken.add(found);
    return found;
  }

  run(evaluationId: string): RecordedRun | undefined {
    return this.#runs.get(evaluationId);
  }

  turn(evaluationId: string, number: number): RecordedTurn | undefined {
    return this.#runs.get(evaluationId)?.turns.find((turn) => turn.number === number);
  }

  /** The name of the model that an evaluation was with in a turn; undefined where it had not left the first one. */
  modelOf(evaluationId: string, turn: number): string | undefined {
    const turns = this.#runs.get(evaluationId)?.turns ?? none;
    const changes = turns.flatMap(({ number, events }) => (number <= turn ? events : none));
    const [last] = changes
      .flatMap(({ event }) => (event.type === 'model-changed' ? event.to : none))
      .slice(-1);
    return last;
  }

  call(evaluationId: string, turn: number, callId: string): RecordedCall | undefined {
    return this.turn(evaluationId, turn)?.calls.find((call) => call.callId === callId);
  }

  /** Calls with these ids, outermost first. */
  callsAt(path: readonly string[]): readonly RecordedCall[] {
    const key = path.join('/');
    return this.#record.calls.filter((call) => [...pathOf(call.run), call.callId].join('/') === key);
  }
}

/** Ids of the calls that a run is inside of, outermost first. */
export function pathOf({ parent }: RecordedRun): readonly string[] {
  return parent === undefined ? [] : [...pathOf(parent.call.run), parent.call.callId];
}

function distance({ parent }: RecordedRun, attempt: number): number {
  if (parent?.attempt === attempt) return 0;
  return 1_000 - (parent?.attempt ?? 0);
}
