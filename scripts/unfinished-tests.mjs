#!/usr/bin/env node
// Names the test files that a run did not finish: vitest does not say which. Their process ended in the middle, by a crash, or
// because all that it did waited for nothing. `node scripts/unfinished-tests.mjs <summary of the JSON reporter>`
import { readFileSync } from 'node:fs';

const [summary = ''] = process.argv.slice(2);
/** @type {{ testResults?: readonly { name: string, assertionResults: readonly { status: string }[] }[] }} */
const { testResults = [] } = JSON.parse(readFileSync(summary, 'utf8'));
for (const { name, assertionResults } of testResults) {
  if (assertionResults.some(({ status }) => status === 'pending')) console.log(`not finished: ${name}`);
}
