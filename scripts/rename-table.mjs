#!/usr/bin/env node
// Writes the table of renames in CHANGELOG.md from scripts/rename-0.2.json. Without `--write` it only compares.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * What became of a public name of 0.1: it was kept, has another name or entry, is replaced by another way of writing the
 * same, or is no longer public.
 * @typedef {'kept' | { name?: string, entry?: string, instead?: string, internal?: string }} Row
 * @typedef {{ names: Record<string, Record<string, Row>> } & Record<string, Record<string, string>>} Renames
 */

const changelogFile = fileURLToPath(new URL('../CHANGELOG.md', import.meta.url));
const begin = '<!-- begin of the table of renames: npm run renames -- --write -->';
const end = '<!-- end of the table of renames -->';

/** @type {Readonly<Record<string, string>>} */
const titles = {
  option: 'Option',
  flag: 'Flag of `wink`',
  member: 'Member',
  'run-event': 'Run event',
  'event-field': 'Field of a run event',
  'session-event': 'Session event by name',
  'record-field': 'Field of a record',
  'error-code': 'Error code',
  unreleased: 'Name that no release had',
};

/** @type {Renames} */
const renames = JSON.parse(readFileSync(new URL('rename-0.2.json', import.meta.url), 'utf8'));
const changelog = readFileSync(changelogFile, 'utf8');
const from = changelog.indexOf(begin);
const to = changelog.indexOf(end);
if (from === -1 || to === -1) throw new Error(`CHANGELOG.md lacks the lines ${begin} and ${end}.`);
const updated = `${changelog.slice(0, from + begin.length)}\n\n${renderRenames(renames)}\n\n${changelog.slice(to)}`;
if (updated !== changelog) {
  if (process.argv.includes('--write')) writeFileSync(changelogFile, updated);
  else {
    console.log('The table of renames in CHANGELOG.md is out of date: npm run renames -- --write');
    process.exitCode = 1;
  }
}

/** @param {Renames} table @returns {string} Markdown */
function renderRenames({ names, ...others }) {
  const parts = Object.entries(names).map(([entry, rows]) => renderEntry(entry, rows));
  for (const [kind, rows] of Object.entries(others)) {
    parts.push(renderTable(titles[kind] ?? kind, Object.entries(rows)));
  }
  return parts.filter((part) => part !== '').join('\n\n');
}

/** @param {string} entry @param {Record<string, Row>} rows @returns {string} */
function renderEntry(entry, rows) {
  const changed = Object.entries(rows).flatMap(([name, row]) => (row === 'kept' ? [] : [{ name, row }]));
  const movedTo = new Map();
  /** @type {[string, string][]} */
  const replaced = [];
  /** @type {[string, string][]} */
  const internal = [];
  for (const { name, row } of changed) {
    if (row.entry !== undefined && row.name === undefined) {
      movedTo.set(row.entry, [...(movedTo.get(row.entry) ?? []), name]);
    } else if (row.internal !== undefined) internal.push([name, row.internal]);
    else {
      const target = row.instead ?? row.name ?? name;
      replaced.push([name, row.entry === undefined ? target : `${target} from ${row.entry}`]);
    }
  }
  const moves = [...movedTo].map(
    ([target, moved]) =>
      `Moved to \`${target}\`: ${moved.map((/** @type {string} */ name) => `\`${name}\``).join(', ')}.`,
  );
  return [
    ...moves.map((text) => `From \`${entry}\`. ${text}`),
    renderTable(`Names of \`${entry}\``, replaced),
    renderTable(`No longer exported by \`${entry}\``, internal),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** @param {string} title @param {readonly [string, string][]} rows @returns {string} */
function renderTable(title, rows) {
  if (rows.length === 0) return '';
  const cell = (/** @type {string} */ text) => `\`${text.replaceAll('|', '\\|')}\``;
  return [
    `| ${title} | write instead |`,
    '| --- | --- |',
    ...rows.map(([old, next]) => `| ${cell(old)} | ${cell(next)} |`),
  ].join('\n');
}
