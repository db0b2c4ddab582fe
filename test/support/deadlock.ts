/**
 * How long a test waits before it fails as hanging: for a whole test, and for each wait in it that would otherwise have a shorter
 * limit of its own. A poll waits half of it, so that it says what it has waited for before the test ends it. No test measures
 * speed: with many processes beside it a test takes twenty times as long, and passes.
 */
export const deadlockMs: number = 20 * 60_000;
