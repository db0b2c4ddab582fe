export { createManualClock, type ManualClock } from 'weakincentives/testing';
