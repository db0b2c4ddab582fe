import type { ComponentChildren, JSX, VNode } from 'preact';
import { cutAfter } from '../../../core/internal/index.ts';
import type { JsonValue } from '../../../core/schema/index.ts';
import { visible } from '../../model/visible.ts';
import { inline } from '../../model/words.ts';
import { Capped } from './parts.tsx';

const rowLimit = 100;
const maxCellCharacters = 2000;

/** One value in a cell. */
export function Value({ value }: { readonly value: JsonValue | undefined }): JSX.Element {
  const text = inline(value);
  const shown = visible(cutAfter(text, maxCellCharacters));
  return typeof value === 'object' && value !== null ? <code>{shown}</code> : <>{shown}</>;
}

export interface DataRow {
  readonly cells: readonly ComponentChildren[];
  readonly kind?: 'new' | 'mute';
  readonly by?: ComponentChildren;
}

/** A table of values; with `hasWriter` the last column says who wrote a row. */
export function DataTable(props: {
  readonly caption?: ComponentChildren;
  readonly label: string;
  readonly columns: readonly string[];
  readonly rows: readonly DataRow[];
  readonly hasWriter?: boolean;
}): VNode {
  const { columns, rows, hasWriter = false } = props;
  return (
    <div class="scroll">
      <table class="table" aria-label={props.caption === undefined ? props.label : undefined}>
        {props.caption === undefined ? null : <caption>{props.caption}</caption>}
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                {visible(column)}
              </th>
            ))}
            {hasWriter ? (
              <th class="by" scope="col">
                written by
              </th>
            ) : null}
          </tr>
        </thead>
        <tbody>
          <Capped
            items={rows}
            limit={rowLimit}
            noun="row"
            wrap={(button) => (
              <tr>
                <td colSpan={columns.length + 1}>{button}</td>
              </tr>
            )}
          >
            {(row, index) => (
              <tr key={index} class={row.kind ?? ''}>
                {row.cells.map((cell, column) => (
                  <td key={column}>{cell}</td>
                ))}
                {hasWriter ? <td class="by">{row.by ?? ''}</td> : null}
              </tr>
            )}
          </Capped>
        </tbody>
      </table>
    </div>
  );
}
