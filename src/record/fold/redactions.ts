import { present } from '../../core/internal/index.ts';
import type { Row } from '../format/rows.ts';
import type { BuiltRun } from './built.ts';
import type { RunRecord } from './run-record.ts';
import { placeOf } from './run-tree.ts';

/** Where rows say that the redaction has replaced something. */
export class Redactions {
  readonly #places = new Map<unknown, RunRecord['redactions'][number]>();
  /** Runs in which something was replaced: each request says the conversation again. */
  readonly #runs = new Set<BuiltRun>();

  add(row: Row, runs: readonly BuiltRun[]): void {
    if (row.type === 'header' || !('redacted' in row) || !row.redacted) return;
    const place = placeOf(row, runs);
    if (place === undefined) return;
    const { run, turn, call } = place;
    if (row.type === 'request' && this.#runs.has(run)) return;
    this.#runs.add(run);
    const key = call ?? turn ?? run;
    if (!this.#places.has(key)) this.#places.set(key, call === undefined ? present({ turn }) : { call });
  }

  places(): RunRecord['redactions'] {
    return [...this.#places.values()];
  }
}
