#!/usr/bin/env node
// A process of tests can end by itself, killed by the system or by a crash; vitest says nothing of the files it had not finished.
// `node scripts/unfinished-tests.mjs LOG SUMMARY` prints these files, a line each, from what vitest printed and its JSON report;
// it prints nothing where anything else went wrong as well. With a third path, the report of another run of these files, it
// replaces SUMMARY by what both runs have counted, each test once.
import { readFileSync, writeFileSync } from 'node:fs';

/**
 * @typedef {{ readonly name: string, readonly assertionResults: readonly { readonly status: string }[] }} TestFile
 * @typedef {{ readonly numPassedTests: number, readonly numFailedTests: number, readonly numFailedTestSuites: number,
 *   readonly testResults: readonly TestFile[] }} Report
 */

const [logPath, summaryPath, againPath] = process.argv.slice(2);
if (logPath === undefined || summaryPath === undefined) {
  console.error('unfinished-tests: give the paths of what vitest printed and of its JSON report.');
  process.exit(2);
}
const log = readFileSync(logPath, 'utf8');
const report = readReport(summaryPath);
// What did not run; what is skipped has another status.
const unfinished = report.testResults.filter(({ assertionResults }) =>
  assertionResults.some(({ status }) => status === 'pending'),
);

if (againPath !== undefined) {
  const again = readReport(againPath);
  const results = unfinished.flatMap(({ assertionResults }) => assertionResults);
  const passedTwice = results.filter(({ status }) => status === 'passed').length;
  const passed = report.numPassedTests - passedTwice + again.numPassedTests;
  writeFileSync(summaryPath, JSON.stringify({ passed, failed: again.numFailedTests }));
} else {
  const errors = Number(/Vitest caught (\d+) unhandled error/.exec(log)?.[1]);
  const endedProcesses = log.match(/Caused by: Error: Worker exited unexpectedly/g)?.length;
  const isAllThatFailed =
    errors === endedProcesses && report.numFailedTests === 0 && report.numFailedTestSuites === 0;
  if (isAllThatFailed) for (const { name } of unfinished) console.log(name);
}

/** @param {string} path @returns {Report} */
function readReport(path) {
  return JSON.parse(readFileSync(path, 'utf8'));
}
