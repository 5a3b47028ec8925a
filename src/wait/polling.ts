/**
 * What code needs that polls a job itself. The build makes a file of it, so that who imports only this from the package
 * does not bundle the client.
 */
export { isTerminal } from "../job-end.js";
export { pollDelayMs } from "./poll-delay.js";
