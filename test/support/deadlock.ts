/**
 * How long a test waits before it fails as hanging: for a whole test, and for each wait in it that would otherwise have a shorter
 * limit of its own. No test measures speed: with many processes beside it a test takes twenty times as long, and passes.
 */
export const deadlockMs: number = 20 * 60_000;
