export { type ManualClock, manualClock } from 'weakincentives/testing';
