/** Generated from docs/reference/openapi/ops.json by `npm run reference`; a test fails when this file is stale. */
export interface paths {
    "/ops/v1/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** When the session expires. */
        get: operations["showSession"];
        put?: never;
        /**
         * Opens a session of 12 hours for the console, in an HttpOnly cookie.
         * @description At most 10 wrong tokens a minute per address; a valid token is always accepted. Changing the operator token ends every session.
         */
        post: operations["openSession"];
        /**
         * Ends the session and clears its cookie.
         * @description All copies of its cookie become invalid, and event streams opened with it end.
         */
        delete: operations["endSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/v1/overview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The state of the service: intake, lag of the read models, and what needs an operator.
         * @description Responds even when stores are down: their values are null. Statistics are per minute and kept for 48 hours.
         */
        get: operations["getOverview"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/v1/live": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Changes of the state of the service, as server-sent events.
         * @description `overview` every 5 s, as `GET /ops/v1/overview` answers it; `projections` every 2 s: `{ projections, replays }`, the first as
         *     `GET /ops/v1/projections` answers it, the second those that are under way. A comment every 15 s. At most 50 at a time listen;
         *     one that does not read what it is sent is dropped, and comes again by itself.
         */
        get: operations["followLive"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/v1/registry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The whole registry as a file; applying it changes nothing. */
        get: operations["exportRegistry"];
        put?: never;
        /** Applies a registry file; the same file again changes nothing. */
        post: operations["applyRegistry"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/v1/networks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The networks of the registry. */
        get: operations["listNetworks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/v1/api-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** All API keys, including revoked and expired ones, without the keys themselves. */
        get: operations["listApiKeys"];
        put?: never;
        /** Creates an API key. Only this response contains the key. */
        post: operations["createApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/v1/api-keys/{id}/rates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Sets the rate limits of an API key; effective within 5 s. */
        put: operations["setApiKeyRates"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/v1/api-keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Revokes an API key permanently; it is rejected within 5 s. */
        delete: operations["revokeApiKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/v1/clients": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** All clients, including revoked ones, without their secrets. */
        get: operations["listClients"];
        put?: never;
        /** Creates a client for the token endpoint. Only this response contains its secret. */
        post: operations["createClient"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/v1/clients/{id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Issues a new secret for a client; the previous one stays valid for a while, by default seven days. */
        post: operations["rotateClient"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/v1/clients/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Revokes a client permanently; its access tokens are rejected within 5 s. */
        delete: operations["revokeClient"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/v1/signing-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The key that signs access tokens, and earlier keys whose tokens may still be valid. */
        get: operations["listSigningKeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/v1/signing-keys/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Signs access tokens with a new key. Tokens of earlier keys stay valid until they expire; with `end_tokens=true` they are rejected within 5 s. */
        post: operations["rotateSigningKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/v1/analysts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** All analysts, including revoked ones, without their passwords. */
        get: operations["listAnalysts"];
        put?: never;
        /** Creates a login for an analyst. Only this response contains its password. */
        post: operations["createAnalyst"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/v1/analysts/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Revokes an analyst permanently: all rows become invisible at once and running queries are killed. */
        delete: operations["revokeAnalyst"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/v1/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** All that is stored about an event, including its content in the log. */
        get: operations["showEvent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/v1/conflicts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Events whose id was sent again with different content, newest first; of the last 31 days by default. */
        get: operations["listConflicts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/v1/quarantine": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Events that wait for a mapping or for the registry: counts by reason, and the newest events. */
        get: operations["listQuarantine"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/v1/quarantine/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Has the events of a vendor's own schema that wait for a mapping tried again, such as by a newer build. */
        post: operations["retryQuarantine"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/v1/balance": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Events by outcome, per hour of receipt and in total; of the last 24 h by default. */
        get: operations["getBalance"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/v1/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Bulk jobs, newest first. */
        get: operations["listJobs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/v1/jobs/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One bulk job, with its first rejected rows. */
        get: operations["showJob"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/v1/jobs/{id}/errors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** All rejected rows of a bulk job, one JSON object per line. */
        get: operations["listJobErrors"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/v1/mappings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The mappings in force. */
        get: operations["listMappings"];
        put?: never;
        /** Registers how a vendor's own schema becomes plays; the same mapping again changes nothing. */
        post: operations["applyMapping"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/v1/devices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Devices that are not retired, with their status, screens and feeders. */
        get: operations["listDevices"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/v1/outages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Outages of devices and feeders, newest first; of the last week by default.
         * @description Lists outages that overlap the window, including those that began earlier or are ongoing. Backfilled heartbeats shorten, split or remove an outage.
         */
        get: operations["listOutages"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/v1/completeness": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The hourly activity of each screen of a network: playing, silent, offline or backfilled. */
        get: operations["getCompleteness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/v1/projections": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The state and progress of each projection. */
        get: operations["listProjections"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/v1/projections/{name}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Pauses a projection in every process until it is resumed; reports keep their current data. */
        post: operations["pauseProjection"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/v1/projections/{name}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Resumes a projection. One that stopped because it parked too many events at once may park events again. */
        post: operations["resumeProjection"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/v1/parked": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Parked events: those that could not be projected, with the error and their content. */
        get: operations["listParked"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/v1/parked/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Retries parked events in log order. In a stream whose order matters, all its parked events are retried. */
        post: operations["retryParked"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/v1/parked/discard": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Discards events permanently: later generations skip them too. */
        post: operations["discardParked"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/v1/projections/{name}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Builds a new generation of a projection alongside the live one, then switches readers to it.
         * @description A projectors process with free capacity builds it; `/ops/v1/replays/{id}` returns its progress.
         */
        post: operations["startReplay"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/v1/replays": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Replays and rollbacks, newest first. */
        get: operations["listReplays"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/v1/replays/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The state of a replay. */
        get: operations["showReplay"];
        put?: never;
        post?: never;
        /** Cancels a replay within seconds and drops what it has built; readers stay on the live generation. */
        delete: operations["cancelReplay"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/v1/projections/{name}/rollback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Switches readers back to the previous generation. */
        post: operations["rollBackProjection"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/v1/doctor": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Diagnoses the service: problems, and what to do about them.
         * @description Checks every engine, the schema, projections, clocks, disks, jobs and the quarantine. Responds within ten seconds, even when engines are down or hang.
         */
        get: operations["examineService"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The process runs. */
        get: operations["getHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Readiness of the service and its dependencies. */
        get: operations["getReadiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Metrics in the Prometheus text format; from this machine or with the operator token. */
        get: operations["getMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** This description, as OpenAPI 3.1 has it. */
        get: operations["getOpenApi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** This description, as a page. */
        get: operations["getDocs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Analyst: {
            name: string;
            /** @description Null: all networks. */
            network_ids: number[] | null;
            /**
             * Format: date-time
             * @example 2026-08-20T14:03:07.250Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-08-20T14:03:07.250Z
             */
            revoked_at: string | null;
            /** @description Whether the login exists in ClickHouse; null if the service may not list users. */
            can_log_in: boolean | null;
        };
        ApiKey: {
            id: string;
            /** Format: int64 */
            network_id: number;
            vendor: string;
            name: string | null;
            /** @description The first characters of the key, to recognize it. */
            prefix: string;
            /** Format: int64 */
            requests_per_second: number;
            /** Format: int64 */
            events_per_second: number;
            /**
             * Format: date-time
             * @example 2026-08-20T14:03:07.250Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-08-20T14:03:07.250Z
             */
            expires_at: string | null;
            /**
             * Format: date-time
             * @example 2026-08-20T14:03:07.250Z
             */
            revoked_at: string | null;
        };
        AppliedMapping: {
            vendor: string;
            /** Format: int64 */
            network_id: number;
            schema_version: string;
            /**
             * Format: int64
             * @description Counted by vendor and schema version.
             */
            version: number;
            /** @description False if an identical mapping was already in force. */
            changed: boolean;
        };
        AppliedRegistry: {
            /** @description Number by kind. */
            created: {
                [key: string]: number;
            };
            /** @description Number by kind. */
            changed: {
                [key: string]: number;
            };
            /** @description Number by kind. */
            retired: {
                [key: string]: number;
            };
            /** @description Number by kind. */
            unchanged: {
                [key: string]: number;
            };
            /** @description Nothing was stored. */
            dry_run: boolean;
            changes: {
                /** @enum {string} */
                kind: "networks" | "vendors" | "sites" | "locations" | "devices" | "feeders" | "cameras" | "apps" | "campaigns" | "creatives" | "metric_definitions";
                key: string;
                /** @enum {string} */
                change: "created" | "changed" | "retired";
                /** @description Old and new value; null when absent. */
                fields: {
                    [key: string]: {
                        from: unknown;
                        to: unknown;
                    };
                };
            }[];
        };
        Balance: {
            /**
             * Format: date-time
             * @example 2026-08-20T14:03:07.250Z
             */
            since: string;
            /**
             * Format: date-time
             * @example 2026-08-20T14:03:07.250Z
             */
            until: string | null;
            sum: {
                /** Format: int64 */
                received: number;
                /** Format: int64 */
                stored: number;
                /** Format: int64 */
                duplicate: number;
                /** Format: int64 */
                conflict: number;
                /** Format: int64 */
                quarantined: number;
                /**
                 * Format: int64
                 * @description Of the stored.
                 */
                late: number;
                /**
                 * Format: int64
                 * @description Of the stored.
                 */
                clock_ahead: number;
                /** Format: int64 */
                hours: number;
            } | null;
            /** @description Newest first. */
            hours: components["schemas"]["BalanceOfHour"][];
        };
        BalanceOfHour: {
            /**
             * Format: date-time
             * @example 2026-08-20T14:03:07.250Z
             */
            hour: string;
            /** Format: int64 */
            network_id: number;
            vendor: string;
            /** Format: int64 */
            received: number;
            /** Format: int64 */
            stored: number;
            /** Format: int64 */
            duplicate: number;
            /** Format: int64 */
            conflict: number;
            /** Format: int64 */
            quarantined: number;
            /**
             * Format: int64
             * @description Of the stored.
             */
            late: number;
            /**
             * Format: int64
             * @description Of the stored.
             */
            clock_ahead: number;
        };
        Client: {
            client_id: string;
            name: string | null;
            /** @description In the order of the token's claim; the first is the default of a request. */
            network_ids: number[];
            /**
             * Format: date-time
             * @example 2026-08-20T14:03:07.250Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-08-20T14:03:07.250Z
             */
            revoked_at: string | null;
        };
        Completeness: {
            /**
             * Format: date-time
             * @description Start of the first hour.
             * @example 2026-08-20T14:03:07.250Z
             */
            from: string;
            /**
             * Format: date-time
             * @description End of the last hour.
             * @example 2026-08-20T14:03:07.250Z
             */
            to: string;
            /** Format: int64 */
            hours: number;
            /** @description Sorted by id. */
            screens: components["schemas"]["ScreenCompleteness"][];
            /**
             * Format: int64
             * @description Screens on this page.
             */
            count: number;
            /** @description What to send as `after` for the next page; null on the last. */
            next_after: string | null;
            /** @description Hours of the screens on this page, by activity. */
            totals: {
                /** Format: int64 */
                playing: number;
                /** Format: int64 */
                silent: number;
                /** Format: int64 */
                offline: number;
                /** Format: int64 */
                backfilled: number;
                /** Format: int64 */
                unknown: number;
            };
        };
        Conflicts: {
            /**
             * Format: date-time
             * @example 2026-08-20T14:03:07.250Z
             */
            since: string;
            conflicts: {
                /** Format: int64 */
                network_id: number;
                vendor: string;
                event_id: string;
                /** @description Names of the fields that differ. */
                differs: string[];
                first: {
                    /** @description In the log. */
                    position: string;
                    /**
                     * Format: date-time
                     * @example 2026-08-20T14:03:07.250Z
                     */
                    received_at: string;
                    type: string | null;
                    /** @description The content as sent; null if the log no longer has it. */
                    content: {
                        [key: string]: unknown;
                    } | null;
                };
                later: {
                    /** @description In the log. */
                    position: string;
                    /**
                     * Format: date-time
                     * @example 2026-08-20T14:03:07.250Z
                     */
                    received_at: string;
                    type: string | null;
                    /** @description The content as sent; null if the log no longer has it. */
                    content: {
                        [key: string]: unknown;
                    } | null;
                };
            }[];
            /** @description What to send as `before` for the next page; null on the last. */
            next_before: string | null;
        };
        Finding: {
            /** @description The subject of the check. */
            check: string;
            /**
             * @description `warning`: it works and will not for ever; `failed`: something does not work; `skipped`: what it needs does not answer.
             * @enum {string}
             */
            outcome: "ok" | "warning" | "failed" | "skipped";
            found: string;
            /** @description What to do about it; null if nothing. */
            advice: string | null;
        };
        ListedDevice: {
            /** Format: int64 */
            id: number;
            name: string;
            network: components["schemas"]["Place"];
            site: components["schemas"]["Place"];
            location: components["schemas"]["Place"];
            /**
             * @description `never`: registered, but no heartbeat was ever received.
             * @enum {string}
             */
            status: "online" | "offline" | "never";
            /**
             * Format: date-time
             * @description Time of receipt of the last valid heartbeat.
             * @example 2026-08-20T14:03:07.250Z
             */
            last_active_at: string | null;
            /**
             * Format: date-time
             * @description Only for the status `offline`.
             * @example 2026-08-20T14:03:07.250Z
             */
            offline_since: string | null;
            /** @description Ids of the screens it shows now. */
            screens: string[];
            feeders: components["schemas"]["ListedFeeder"][];
        };
        ListedFeeder: {
            /** Format: int64 */
            id: number;
            name: string;
            /**
             * @description `never`: registered, but no heartbeat was ever received.
             * @enum {string}
             */
            status: "online" | "offline" | "never";
            /**
             * Format: date-time
             * @description Time of receipt of the last valid heartbeat.
             * @example 2026-08-20T14:03:07.250Z
             */
            last_active_at: string | null;
        };
        ListedJob: {
            job_id: string;
            /** @enum {string} */
            status: "queued" | "processing" | "completed" | "failed" | "partially_completed";
            /** Format: int64 */
            network_id: number;
            vendor: string;
            file_name: string;
            /** @enum {string} */
            format: "ndjson" | "json" | "csv";
            schema_version: string;
            /** Format: int64 */
            size_bytes: number;
            /** Format: int64 */
            bytes_read: number;
            /** Format: int64 */
            processed_rows: number;
            /** Format: int64 */
            error_rows: number;
            /**
             * Format: int64
             * @description Null until the end of the file is reached.
             */
            total_rows: number | null;
            /**
             * Format: int64
             * @description 0 before the first.
             */
            attempt: number;
            progress_percent: number;
            /**
             * Format: date-time
             * @example 2026-08-20T14:03:07.250Z
             */
            queued_at: string | null;
            /**
             * Format: date-time
             * @example 2026-08-20T14:03:07.250Z
             */
            began_at: string | null;
            /**
             * Format: date-time
             * @example 2026-08-20T14:03:07.250Z
             */
            ended_at: string | null;
            /** @description Why it failed. */
            reason: string | null;
        };
        ListedNetwork: {
            /** Format: int64 */
            id: number;
            name: string;
            timezone: string;
        };
        ListedOutage: {
            /** Format: int64 */
            network_id: number;
            /** @enum {string} */
            kind: "device" | "feeder";
            /** Format: int64 */
            id: number;
            /** @description Empty if the registry does not contain it. */
            name: string;
            /**
             * Format: int64
             * @description The device itself, or the one the feeder belongs to.
             */
            device_id: number;
            /**
             * Format: int64
             * @description The current site of the device; 0 if the registry does not contain it.
             */
            site_id: number;
            site_name: string;
            /**
             * Format: date-time
             * @example 2026-08-20T14:03:07.250Z
             */
            offline_at: string;
            /**
             * Format: date-time
             * @description Null if ongoing.
             * @example 2026-08-20T14:03:07.250Z
             */
            online_at: string | null;
            /** @description Duration; until now if ongoing. */
            seconds: number;
            /** @description Whether backfilled heartbeats shortened the recorded outage. */
            backfilled: boolean;
        };
        MadeAnalyst: {
            user: string;
            /** @description Only this response contains it. */
            password: string;
            /** @description Null: all networks. */
            network_ids: number[] | null;
            /** @description The HTTP URL of ClickHouse for analysts. */
            url: string;
            database: string;
            /** @description Whether the login exists in ClickHouse. */
            can_log_in: boolean;
            /** @description ClickHouse's error; null if the statements succeeded or were not run. */
            why: string | null;
            /** @description The SQL statements that create the login. */
            statements: string[];
        };
        MadeApiKey: {
            id: string;
            /** @description Only this response contains it. */
            api_key: string;
            /** Format: int64 */
            network_id: number;
            vendor: string;
        };
        MadeClient: {
            client_id: string;
            /** @description Only this response contains it. */
            client_secret: string;
            /** @description In the order of the token's claim; the first is the default of a request. */
            network_ids: number[];
        };
        MappingInForce: {
            vendor: string;
            /** Format: int64 */
            network_id: number;
            schema_version: string;
            /**
             * Format: int64
             * @description Counted by vendor and schema version.
             */
            version: number;
            /**
             * Format: date-time
             * @example 2026-08-20T14:03:07.250Z
             */
            registered_at: string;
            mapping: {
                vendor: string;
                schema_version: string;
                /** @description Names of the columns of a CSV without header. */
                columns?: string[];
                /** @description Further fields that must be present for an event to be a play. */
                required?: string[];
                fields: {
                    eventId?: {
                        /** @description Path of the value, like `a.b[0]` or `["odd key"]`. */
                        path?: string;
                        /** @description Always this value. */
                        const?: string | number | boolean;
                        /** @description Value when the path is absent. */
                        default?: string | number | boolean;
                        /** @description Maps values as sent to canonical values. */
                        map?: {
                            [key: string]: string | number | boolean;
                        };
                        /** @description Value when the path is present. */
                        when_present?: string | number | boolean;
                        /** @description Value when the path is absent. */
                        when_absent?: string | number | boolean;
                    };
                    screenId: {
                        /** @description Path of the value, like `a.b[0]` or `["odd key"]`. */
                        path?: string;
                        /** @description Always this value. */
                        const?: string | number | boolean;
                        /** @description Value when the path is absent. */
                        default?: string | number | boolean;
                        /** @description Maps values as sent to canonical values. */
                        map?: {
                            [key: string]: string | number | boolean;
                        };
                        /** @description Value when the path is present. */
                        when_present?: string | number | boolean;
                        /** @description Value when the path is absent. */
                        when_absent?: string | number | boolean;
                    };
                    siteId?: {
                        /** @description Path of the value, like `a.b[0]` or `["odd key"]`. */
                        path?: string;
                        /** @description Always this value. */
                        const?: string | number | boolean;
                        /** @description Value when the path is absent. */
                        default?: string | number | boolean;
                        /** @description Maps values as sent to canonical values. */
                        map?: {
                            [key: string]: string | number | boolean;
                        };
                        /** @description Value when the path is present. */
                        when_present?: string | number | boolean;
                        /** @description Value when the path is absent. */
                        when_absent?: string | number | boolean;
                    };
                    campaignId: {
                        /** @description Path of the value, like `a.b[0]` or `["odd key"]`. */
                        path?: string;
                        /** @description Always this value. */
                        const?: string | number | boolean;
                        /** @description Value when the path is absent. */
                        default?: string | number | boolean;
                        /** @description Maps values as sent to canonical values. */
                        map?: {
                            [key: string]: string | number | boolean;
                        };
                        /** @description Value when the path is present. */
                        when_present?: string | number | boolean;
                        /** @description Value when the path is absent. */
                        when_absent?: string | number | boolean;
                    };
                    creativeId: {
                        /** @description Path of the value, like `a.b[0]` or `["odd key"]`. */
                        path?: string;
                        /** @description Always this value. */
                        const?: string | number | boolean;
                        /** @description Value when the path is absent. */
                        default?: string | number | boolean;
                        /** @description Maps values as sent to canonical values. */
                        map?: {
                            [key: string]: string | number | boolean;
                        };
                        /** @description Value when the path is present. */
                        when_present?: string | number | boolean;
                        /** @description Value when the path is absent. */
                        when_absent?: string | number | boolean;
                    };
                    playedAt?: {
                        /** @description Path of the value, like `a.b[0]` or `["odd key"]`. */
                        path?: string;
                        /** @description Always this value. */
                        const?: string | number | boolean;
                        /** @description Value when the path is absent. */
                        default?: string | number | boolean;
                        /** @description Maps values as sent to canonical values. */
                        map?: {
                            [key: string]: string | number | boolean;
                        };
                        /** @description Value when the path is present. */
                        when_present?: string | number | boolean;
                        /** @description Value when the path is absent. */
                        when_absent?: string | number | boolean;
                        /** @description Format of the time: iso (default), unix_s, unix_ms, or a pattern like yyyy-MM-dd HH:mm:ss. */
                        time?: string | ("iso" | "unix_s" | "unix_ms");
                        /** @description Zone of a time without offset; default device: the zone of the device, else of its site. */
                        zone?: string | ("utc" | "device");
                        /** @description Path of a separate field with the offset. */
                        offset_path?: string;
                    };
                    endedAt?: {
                        /** @description Path of the value, like `a.b[0]` or `["odd key"]`. */
                        path?: string;
                        /** @description Always this value. */
                        const?: string | number | boolean;
                        /** @description Value when the path is absent. */
                        default?: string | number | boolean;
                        /** @description Maps values as sent to canonical values. */
                        map?: {
                            [key: string]: string | number | boolean;
                        };
                        /** @description Value when the path is present. */
                        when_present?: string | number | boolean;
                        /** @description Value when the path is absent. */
                        when_absent?: string | number | boolean;
                        /** @description Format of the time: iso (default), unix_s, unix_ms, or a pattern like yyyy-MM-dd HH:mm:ss. */
                        time?: string | ("iso" | "unix_s" | "unix_ms");
                        /** @description Zone of a time without offset; default device: the zone of the device, else of its site. */
                        zone?: string | ("utc" | "device");
                        /** @description Path of a separate field with the offset. */
                        offset_path?: string;
                    };
                    duration?: {
                        /** @description Path of the value, like `a.b[0]` or `["odd key"]`. */
                        path?: string;
                        /** @description Always this value. */
                        const?: string | number | boolean;
                        /** @description Value when the path is absent. */
                        default?: string | number | boolean;
                        /** @description Maps values as sent to canonical values. */
                        map?: {
                            [key: string]: string | number | boolean;
                        };
                        /** @description Value when the path is present. */
                        when_present?: string | number | boolean;
                        /** @description Value when the path is absent. */
                        when_absent?: string | number | boolean;
                        /**
                         * @description Default ms.
                         * @enum {string}
                         */
                        unit?: "ms" | "s";
                    };
                    startReason?: {
                        /** @description Path of the value, like `a.b[0]` or `["odd key"]`. */
                        path?: string;
                        /** @description Always this value. */
                        const?: string | number | boolean;
                        /** @description Value when the path is absent. */
                        default?: string | number | boolean;
                        /** @description Maps values as sent to canonical values. */
                        map?: {
                            [key: string]: string | number | boolean;
                        };
                        /** @description Value when the path is present. */
                        when_present?: string | number | boolean;
                        /** @description Value when the path is absent. */
                        when_absent?: string | number | boolean;
                    };
                    /** @description An object to keep with the play. */
                    context?: {
                        /** @description Path of the value, like `a.b[0]` or `["odd key"]`. */
                        path: string;
                    };
                };
            };
        };
        Overview: {
            /**
             * Format: date-time
             * @example 2026-08-20T14:03:07.250Z
             */
            now: string;
            /**
             * Format: int64
             * @description Events, including rows of bulk files, in the last minute of `history`.
             */
            accepted_per_minute: number | null;
            /**
             * Format: int64
             * @description Events; a request rejected before parsing counts as one.
             */
            refused_per_minute: number | null;
            /**
             * Format: int64
             * @description Over the minutes of `history`.
             */
            accepted_last_hour: number | null;
            /** Format: int64 */
            refused_last_hour: number | null;
            /** @description In that hour, most frequent first; `bulk_refused`: rejected rows of bulk files. */
            refused_by: {
                code: string;
                /** Format: int64 */
                events: number;
            }[];
            /** @description Age of the newest event that is in every read model. */
            freshness_seconds: number | null;
            /**
             * Format: int64
             * @description Events not yet projected by the read model with the largest lag.
             */
            lag_events: number | null;
            counts: {
                /** Format: int64 */
                networks: number | null;
                /**
                 * Format: int64
                 * @description Devices that are not retired: online, offline and never heard from.
                 */
                devices: number | null;
                /** Format: int64 */
                online: number | null;
                /**
                 * Format: int64
                 * @description At least one heartbeat, but none in the last 300 s.
                 */
                offline: number | null;
                /** Format: int64 */
                never_heard: number | null;
                /**
                 * Format: int64
                 * @description Of devices and feeders that are not retired.
                 */
                open_outages: number | null;
                /**
                 * Format: int64
                 * @description Events parked by a live projection.
                 */
                parked: number | null;
                /**
                 * Format: int64
                 * @description Events in quarantine, waiting for a mapping or for their screen.
                 */
                quarantined: number | null;
                /**
                 * Format: int64
                 * @description Bulk jobs that are queued or running.
                 */
                running_jobs: number | null;
                /**
                 * Format: int64
                 * @description Bulk jobs that failed in the last 24 hours.
                 */
                failed_jobs: number | null;
                /** Format: int64 */
                running_replays: number | null;
            };
            /** @description The last 60 complete minutes, oldest first; null where no process reported. */
            history: components["schemas"]["OverviewMinute"][];
            /** @description Problems, most severe first. */
            problems: components["schemas"]["Problem"][];
        };
        OverviewMinute: {
            /**
             * Format: date-time
             * @description Start of the minute.
             * @example 2026-08-20T14:03:07.250Z
             */
            minute: string;
            /** Format: int64 */
            accepted: number | null;
            /** Format: int64 */
            refused: number | null;
            /** Format: int64 */
            lag_events: number | null;
            freshness_seconds: number | null;
        };
        ParkedDecided: {
            projection: string;
            /**
             * Format: int64
             * @description Number of events, including those blocked by another event.
             */
            events: number;
        };
        ParkedEvents: {
            parked: {
                projection: string;
                /** Format: int64 */
                generation: number;
                /** @description In the log. */
                position: string;
                stream: string;
                type: string;
                /** @enum {string} */
                state: "parked" | "discarded";
                /** @description The error of the last attempt. */
                error: string;
                /**
                 * Format: int64
                 * @description Number of attempts; 0 for an event only blocked by another.
                 */
                attempts: number;
                /** @description Position of the parked event of the same stream that blocks it. */
                behind: string | null;
                /** @description Whether a decision is recorded but not yet applied. */
                decision_pending: boolean;
                /** @description Why it was discarded. */
                reason: string | null;
                /**
                 * Format: date-time
                 * @example 2026-08-20T14:03:07.250Z
                 */
                parked_at: string;
                /**
                 * Format: date-time
                 * @example 2026-08-20T14:03:07.250Z
                 */
                tried_at: string;
                /** @description Data and metadata as JSON, truncated if very long. */
                raw: string;
            }[];
            /** @description What to send as `cursor` for the next page; null on the last. */
            next_cursor: string | null;
        };
        PausedProjection: {
            name: string;
            paused: boolean;
        };
        Place: {
            /** Format: int64 */
            id: number;
            name: string;
        };
        Problem: {
            /** @enum {string} */
            severity: "warning" | "failed";
            what: string;
            /**
             * Format: date-time
             * @description Null if unknown.
             * @example 2026-08-20T14:03:07.250Z
             */
            since: string | null;
            advice: string;
        };
        Projection: {
            name: string;
            /** Format: int64 */
            generation: number;
            /**
             * @description `failing`: retries automatically; `paused`: by an operator; `stopped`: no process runs it.
             * @enum {string}
             */
            state: "starting" | "running" | "failing" | "waiting" | "paused" | "stopped";
            /** @description Log position up to which all events are projected. */
            position: string;
            /**
             * Format: int64
             * @description Events not yet projected: counted up to 1,000, estimated above; null when the event store does not answer.
             */
            lag_events: number | null;
            /** @description Age of the newest projected event; null before the first event. */
            lag_seconds: number | null;
            /**
             * Format: int64
             * @description Parked events: those that could not be projected.
             */
            parked: number;
            /** @description The error that blocks it; null while it makes progress. */
            error: string | null;
            /**
             * Format: int64
             * @description The previous generation, available for a rollback; null if none is kept.
             */
            kept: number | null;
            /** @description Whether an older version of the projection built the live generation; a replay updates it. */
            outdated: boolean;
        };
        Quarantine: {
            reasons: {
                /** Format: int64 */
                network_id: number;
                vendor: string;
                schema_version: string;
                code: string;
                /** Format: int64 */
                events: number;
                latest_reason: string;
                /**
                 * Format: date-time
                 * @example 2026-08-20T14:03:07.250Z
                 */
                oldest_received_at: string;
                /**
                 * Format: date-time
                 * @example 2026-08-20T14:03:07.250Z
                 */
                newest_received_at: string;
            }[];
            events: {
                /** @description In the log. */
                position: string;
                /** Format: int64 */
                network_id: number;
                vendor: string;
                schema_version: string;
                event_id: string | null;
                /**
                 * Format: date-time
                 * @example 2026-08-20T14:03:07.250Z
                 */
                received_at: string;
                code: string;
                reason: string;
                job_id: string | null;
                /** Format: int64 */
                job_row: number | null;
                /** @description JSON as sent, truncated if very long. */
                raw: string;
                /** Format: int64 */
                raw_bytes: number;
            }[];
            /** @description What to send as `before` for the next page; null on the last. */
            next_before: string | null;
        };
        QuarantineTried: {
            /** Format: int64 */
            network: number;
            vendor: string;
            schema_version: string;
            /**
             * Format: int64
             * @description Number of quarantined events at the time of the request.
             */
            waiting: number;
        };
        Replay: {
            /** Format: int64 */
            id: number;
            name: string;
            /** @enum {string} */
            kind: "replay" | "rollback";
            /** @enum {string} */
            state: "planned" | "building" | "catching_up" | "verifying" | "switching" | "done" | "failed" | "cancelled";
            /** Format: int64 */
            from_generation: number;
            /** Format: int64 */
            to_generation: number;
            /** @description Log position up to which it is built. */
            position: string;
            /** @description Log position of the live generation at its last reading. */
            target: string;
            /**
             * Format: int64
             * @description Folded so far.
             */
            events: number;
            /**
             * Format: int64
             * @description Events to fold; null if not counted.
             */
            total_events: number | null;
            /** Format: int64 */
            events_per_second: number;
            /** @description Duration since the start. */
            seconds: number;
            /**
             * Format: int64
             * @description An estimate; null if unknown.
             */
            seconds_left: number | null;
            /** @description Whether the result is compared before the switch. */
            verify: boolean;
            /** @description Whether the comparison with the live generation and the log found no difference. */
            verified: boolean;
            /** @description The step after folding; null if there is none. */
            step: components["schemas"]["ReplayStep"] | null;
            /** @description Events of each type compared with the log; null if not compared. */
            accounts: components["schemas"]["ReplayAccount"][] | null;
            /** @description At most 100. */
            differences: components["schemas"]["ReplayDifference"][];
            /** @description Total time the live generation was paused. */
            paused_seconds: number;
            /** @description The error it failed with or is retrying after. */
            error: string | null;
            is_cancelling: boolean;
            /**
             * Format: date-time
             * @example 2026-08-20T14:03:07.250Z
             */
            requested_at: string;
            /**
             * Format: date-time
             * @example 2026-08-20T14:03:07.250Z
             */
            started_at: string | null;
            /**
             * Format: date-time
             * @example 2026-08-20T14:03:07.250Z
             */
            ended_at: string | null;
        };
        ReplayAccount: {
            /** @description Of events. */
            type: string;
            /**
             * Format: int64
             * @description Events in the log, counted by a separate read.
             */
            in_log: number;
            /**
             * Format: int64
             * @description Events that produced rows, counted during the build, like the next two.
             */
            with_rows: number;
            /**
             * Format: int64
             * @description Events discarded or retried later by an operator's decision.
             */
            skipped: number;
            /**
             * Format: int64
             * @description Events that were folded without producing a row.
             */
            without_rows: number;
            /** @description Whether the counts add up and every event of a one-row type has its row. */
            is_consistent: boolean;
        };
        ReplayDifference: {
            table: string;
            /**
             * Format: int64
             * @description 0 where the table has none.
             */
            network: number;
            /** @description UTC; null where the table has no time. */
            day: string | null;
            /** Format: int64 */
            rows_before: number;
            /** Format: int64 */
            rows_after: number;
        };
        ReplayNotNeeded: {
            name: string;
            /** Format: int64 */
            generation: number;
            /**
             * Format: int64
             * @description Of the projection that built the live generation.
             */
            version: number;
            /** @constant */
            needed: false;
        };
        ReplayStep: {
            /**
             * @description `windows`: computes derived rows from all facts; `rows`: compares with the live generation; `log`: counts events.
             * @enum {string}
             */
            name: "windows" | "rows" | "log";
            /** Format: int64 */
            done: number;
            /** Format: int64 */
            of: number;
        };
        ScreenCompleteness: {
            /** @description The vendor's id of the screen. */
            screen_id: string;
            /**
             * Format: int64
             * @description The last device of the screen in the window.
             */
            device_id: number;
            device_name: string;
            /** Format: int64 */
            site_id: number;
            site_name: string;
            /**
             * @description A letter for each hour.
             *     `p` playing: A play began in the hour.
             *     `s` silent: Its device sent heartbeats in the hour, but no play began.
             *     `o` offline: Its device sent no heartbeat in the hour, and no play began.
             *     `b` backfilled: Its device was recorded as offline; heartbeats or plays of that time arrived later, by more than five minutes.
             *     `-` unknown: No information: before the registration of the screen, without a device, or in the future.
             */
            cells: string;
        };
        Session: {
            /**
             * Format: date-time
             * @description When it expires; null for a request that presents the operator token.
             * @example 2026-08-20T14:03:07.250Z
             */
            until: string | null;
        };
        ShownEvent: {
            event_id: string;
            found: {
                /** Format: int64 */
                network_id: number;
                vendor: string;
                /** @enum {string} */
                status: "accepted" | "projected" | "quarantined";
                /** Format: int64 */
                received: number;
                /** Format: int64 */
                stored: number;
                /** Format: int64 */
                duplicate: number;
                /** Format: int64 */
                conflict: number;
                /** Format: int64 */
                quarantined: number;
                /** Format: int64 */
                coffee_rows: number;
                pop_types: string[];
                /**
                 * Format: date-time
                 * @example 2026-08-20T14:03:07.250Z
                 */
                projected_at: string | null;
                receipts: {
                    /** @description In the log. */
                    position: string;
                    /**
                     * Format: date-time
                     * @example 2026-08-20T14:03:07.250Z
                     */
                    received_at: string;
                    /**
                     * Format: date-time
                     * @example 2026-08-20T14:03:07.250Z
                     */
                    recorded_at: string;
                    /** @enum {string} */
                    outcome: "stored" | "duplicate" | "conflict" | "quarantined";
                    late: boolean;
                    clock_ahead: boolean;
                    /**
                     * Format: date-time
                     * @example 2026-08-20T14:03:07.250Z
                     */
                    released_at?: string;
                    /**
                     * Format: int64
                     * @description Version of the mapping.
                     */
                    released_by_mapping?: number;
                    waited_because?: string;
                    schema_version?: string;
                    code?: string;
                    reason?: string;
                    /** @description As stored in the log. */
                    raw: {
                        stream: string;
                        type: string;
                        revision: string;
                        data: unknown;
                        metadata: {
                            [key: string]: unknown;
                        };
                    } | null;
                }[];
                /** @description The hours in which it was received. */
                balance: components["schemas"]["BalanceOfHour"][];
            }[];
        };
        ShownJob: {
            job_id: string;
            /** @enum {string} */
            status: "queued" | "processing" | "completed" | "failed" | "partially_completed";
            /** Format: int64 */
            network_id: number;
            vendor: string;
            file_name: string;
            /** @enum {string} */
            format: "ndjson" | "json" | "csv";
            schema_version: string;
            /** Format: int64 */
            size_bytes: number;
            /** Format: int64 */
            bytes_read: number;
            /** Format: int64 */
            processed_rows: number;
            /** Format: int64 */
            error_rows: number;
            /**
             * Format: int64
             * @description Null until the end of the file is reached.
             */
            total_rows: number | null;
            /**
             * Format: int64
             * @description 0 before the first.
             */
            attempt: number;
            progress_percent: number;
            /**
             * Format: date-time
             * @example 2026-08-20T14:03:07.250Z
             */
            queued_at: string | null;
            /**
             * Format: date-time
             * @example 2026-08-20T14:03:07.250Z
             */
            began_at: string | null;
            /**
             * Format: date-time
             * @example 2026-08-20T14:03:07.250Z
             */
            ended_at: string | null;
            /** @description Why it failed. */
            reason: string | null;
            file_id: string;
            /** @description The API key that requested the job. */
            key_id: string | null;
            metadata: {
                [key: string]: unknown;
            } | null;
            /** Format: int64 */
            mapping_version: number | null;
            sha256: string | null;
            /** @description The first rejected rows. */
            errors: {
                /** Format: int64 */
                row: number;
                error: string;
            }[];
        };
        SigningKey: {
            kid: string;
            algorithm: string;
            /**
             * Format: date-time
             * @example 2026-08-20T14:03:07.250Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When its last token expires; null for the key that signs.
             * @example 2026-08-20T14:03:07.250Z
             */
            public_until: string | null;
        };
        /** @description Every JSON error has this shape. */
        Error: {
            /** @constant */
            status: false;
            /** @description For people; it may improve. Programs go by the code. */
            message: string;
            error: {
                /** @enum {string} */
                code: "INVALID_PARAM" | "INVALID_EVENT" | "INVALID_REQUEST" | "UNAUTHORIZED" | "FORBIDDEN_NETWORKS" | "FORBIDDEN_ORIGIN" | "NOT_FOUND" | "METHOD_NOT_ALLOWED" | "CONFLICT" | "PAYLOAD_TOO_LARGE" | "UNSUPPORTED_MEDIA_TYPE" | "RATE_LIMITED" | "UNAVAILABLE" | "INTERNAL";
                details: components["schemas"]["ErrorDetail"][];
            };
            request_id: string;
        };
        ErrorDetail: {
            /** @description Where: a parameter, or a field such as `events[3].playedAt`. */
            path: string;
            /** @description What is wrong with it. */
            message: string;
        };
    };
    responses: {
        /** @description The body took too long to arrive. */
        BodyTimeout: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /** @constant */
                    status: false;
                    /** @description For people; it may improve. Programs go by the code. */
                    message: string;
                    error: {
                        /** @enum {string} */
                        code: "INVALID_REQUEST";
                        details: components["schemas"]["ErrorDetail"][];
                    };
                    request_id: string;
                };
            };
        };
        /** @description `CONFLICT`: The request contradicts what is already stored. */
        Conflict: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /** @constant */
                    status: false;
                    /** @description For people; it may improve. Programs go by the code. */
                    message: string;
                    error: {
                        /** @enum {string} */
                        code: "CONFLICT";
                        details: components["schemas"]["ErrorDetail"][];
                    };
                    request_id: string;
                };
            };
        };
        /** @description `FORBIDDEN_ORIGIN`: A request with a session cookie must come from a page of this server. */
        ForbiddenOrigin: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /** @constant */
                    status: false;
                    /** @description For people; it may improve. Programs go by the code. */
                    message: string;
                    error: {
                        /** @enum {string} */
                        code: "FORBIDDEN_ORIGIN";
                        details: components["schemas"]["ErrorDetail"][];
                    };
                    request_id: string;
                };
            };
        };
        /** @description `INTERNAL`: Internal error. */
        Internal: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /** @constant */
                    status: false;
                    /** @description For people; it may improve. Programs go by the code. */
                    message: string;
                    error: {
                        /** @enum {string} */
                        code: "INTERNAL";
                        details: components["schemas"]["ErrorDetail"][];
                    };
                    request_id: string;
                };
            };
        };
        /** @description `INVALID_PARAM`: A query or path parameter is not valid. */
        InvalidParam: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /** @constant */
                    status: false;
                    /** @description For people; it may improve. Programs go by the code. */
                    message: string;
                    error: {
                        /** @enum {string} */
                        code: "INVALID_PARAM";
                        details: components["schemas"]["ErrorDetail"][];
                    };
                    request_id: string;
                };
            };
        };
        /**
         * @description `INVALID_PARAM`: A query or path parameter is not valid.
         *
         *     `INVALID_REQUEST`: The request is not valid.
         */
        InvalidParamOrInvalidRequest: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /** @constant */
                    status: false;
                    /** @description For people; it may improve. Programs go by the code. */
                    message: string;
                    error: {
                        /** @enum {string} */
                        code: "INVALID_PARAM" | "INVALID_REQUEST";
                        details: components["schemas"]["ErrorDetail"][];
                    };
                    request_id: string;
                };
            };
        };
        /** @description `NOT_FOUND`: The resource does not exist. */
        NotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /** @constant */
                    status: false;
                    /** @description For people; it may improve. Programs go by the code. */
                    message: string;
                    error: {
                        /** @enum {string} */
                        code: "NOT_FOUND";
                        details: components["schemas"]["ErrorDetail"][];
                    };
                    request_id: string;
                };
            };
        };
        /** @description `PAYLOAD_TOO_LARGE`: The request body is too large. */
        PayloadTooLarge: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /** @constant */
                    status: false;
                    /** @description For people; it may improve. Programs go by the code. */
                    message: string;
                    error: {
                        /** @enum {string} */
                        code: "PAYLOAD_TOO_LARGE";
                        details: components["schemas"]["ErrorDetail"][];
                    };
                    request_id: string;
                };
            };
        };
        /** @description `RATE_LIMITED`: Too many requests. */
        RateLimited: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Retry-After": components["headers"]["Retry-After"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /** @constant */
                    status: false;
                    /** @description For people; it may improve. Programs go by the code. */
                    message: string;
                    error: {
                        /** @enum {string} */
                        code: "RATE_LIMITED";
                        details: components["schemas"]["ErrorDetail"][];
                    };
                    request_id: string;
                };
            };
        };
        /** @description `UNAUTHORIZED`: A valid credential is required. */
        Unauthorized: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /** @constant */
                    status: false;
                    /** @description For people; it may improve. Programs go by the code. */
                    message: string;
                    error: {
                        /** @enum {string} */
                        code: "UNAUTHORIZED";
                        details: components["schemas"]["ErrorDetail"][];
                    };
                    request_id: string;
                };
            };
        };
        /** @description `UNAVAILABLE`: The service is temporarily unavailable. Retry later. */
        Unavailable: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /** @constant */
                    status: false;
                    /** @description For people; it may improve. Programs go by the code. */
                    message: string;
                    error: {
                        /** @enum {string} */
                        code: "UNAVAILABLE";
                        details: components["schemas"]["ErrorDetail"][];
                    };
                    request_id: string;
                };
            };
        };
        /** @description `UNSUPPORTED_MEDIA_TYPE`: The content type or encoding of the body is not supported. */
        UnsupportedMediaType: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /** @constant */
                    status: false;
                    /** @description For people; it may improve. Programs go by the code. */
                    message: string;
                    error: {
                        /** @enum {string} */
                        code: "UNSUPPORTED_MEDIA_TYPE";
                        details: components["schemas"]["ErrorDetail"][];
                    };
                    request_id: string;
                };
            };
        };
        /** @description Any other refusal. */
        OtherError: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: {
        /**
         * @description Names this request in our logs; yours if you sent one.
         * @example 5f0c7a0e-6f0f-4c1e-9a3e-0c6a7a1f2b3d
         */
        "X-Request-Id": string;
        /**
         * @description The session, or its end.
         * @example popsvc_session=…; Path=/; HttpOnly; SameSite=Strict; Max-Age=43200
         */
        "Set-Cookie": string;
        /**
         * @description Seconds after which to try again.
         * @example 1
         */
        "Retry-After": number;
        /**
         * @description What credential is due, and what is wrong with the one that was sent (RFC 6750).
         * @example Bearer realm="popsvc"
         */
        "WWW-Authenticate": string;
        /**
         * @description Burst and the seconds in which it fills, by unit (draft-ietf-httpapi-ratelimit-headers).
         * @example "requests";q=4000;qu="requests";w=2
         */
        "RateLimit-Policy": string;
        /**
         * @description What is left of it, by unit, and the seconds until it is full. Only API keys have rates.
         * @example "requests";r=3999;t=1
         */
        RateLimit: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    showSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            400: components["responses"]["InvalidParam"];
            401: components["responses"]["Unauthorized"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    openSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description `POPSVC_OPERATOR_TOKEN`. */
                    token: string;
                };
            };
        };
        responses: {
            /** @description Opened. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Set-Cookie": components["headers"]["Set-Cookie"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidParamOrInvalidRequest"];
            401: components["responses"]["Unauthorized"];
            408: components["responses"]["BodyTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    endSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Gone. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Set-Cookie": components["headers"]["Set-Cookie"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidParam"];
            403: components["responses"]["ForbiddenOrigin"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    getOverview: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Overview"];
                };
            };
            400: components["responses"]["InvalidParam"];
            401: components["responses"]["Unauthorized"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    followLive: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            400: components["responses"]["InvalidParam"];
            401: components["responses"]["Unauthorized"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    exportRegistry: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default [] */
                        networks: {
                            /** Format: int64 */
                            id: number;
                            name: string;
                            /** @example Europe/London */
                            timezone: string;
                            /**
                             * Format: date-time
                             * @description Instant from which the change is effective; default: when it is applied.
                             * @example 2026-08-20T14:03:07.250Z
                             */
                            effective_from?: string;
                            /** @description Retires the entity and keeps its history. */
                            retired?: boolean;
                        }[];
                        /** @default [] */
                        vendors: {
                            code: string;
                            name: string;
                            /** Format: int64 */
                            network: number;
                            /**
                             * Format: date-time
                             * @description Instant from which the change is effective; default: when it is applied.
                             * @example 2026-08-20T14:03:07.250Z
                             */
                            effective_from?: string;
                            /** @description Retires the entity and keeps its history. */
                            retired?: boolean;
                        }[];
                        /** @default [] */
                        sites: {
                            /** Format: int64 */
                            id: number;
                            name: string;
                            /** Format: int64 */
                            network: number;
                            /** @example Europe/London */
                            timezone: string;
                            business_hours?: {
                                [key: string]: string[];
                            };
                            /**
                             * Format: date-time
                             * @description Instant from which the change is effective; default: when it is applied.
                             * @example 2026-08-20T14:03:07.250Z
                             */
                            effective_from?: string;
                            /** @description Retires the entity and keeps its history. */
                            retired?: boolean;
                        }[];
                        /** @default [] */
                        locations: {
                            /** Format: int64 */
                            id: number;
                            name: string;
                            /** Format: int64 */
                            site: number;
                            /**
                             * Format: date-time
                             * @description Instant from which the change is effective; default: when it is applied.
                             * @example 2026-08-20T14:03:07.250Z
                             */
                            effective_from?: string;
                            /** @description Retires the entity and keeps its history. */
                            retired?: boolean;
                        }[];
                        /** @default [] */
                        devices: {
                            /** Format: int64 */
                            id: number;
                            name: string;
                            /** Format: int64 */
                            location: number;
                            /** @example Europe/London */
                            timezone?: string;
                            /** @default [] */
                            screen_ids: string[];
                            /**
                             * Format: date-time
                             * @description Instant from which the change is effective; default: when it is applied.
                             * @example 2026-08-20T14:03:07.250Z
                             */
                            effective_from?: string;
                            /** @description Retires the entity and keeps its history. */
                            retired?: boolean;
                        }[];
                        /** @default [] */
                        feeders: {
                            /** Format: int64 */
                            id: number;
                            name: string;
                            /** Format: int64 */
                            device: number;
                            /**
                             * Format: date-time
                             * @description Instant from which the change is effective; default: when it is applied.
                             * @example 2026-08-20T14:03:07.250Z
                             */
                            effective_from?: string;
                            /** @description Retires the entity and keeps its history. */
                            retired?: boolean;
                        }[];
                        /** @default [] */
                        cameras: {
                            /** Format: int64 */
                            id: number;
                            name: string;
                            /** Format: int64 */
                            device: number;
                            /** Format: int64 */
                            feeder?: number;
                            /**
                             * Format: date-time
                             * @description Instant from which the change is effective; default: when it is applied.
                             * @example 2026-08-20T14:03:07.250Z
                             */
                            effective_from?: string;
                            /** @description Retires the entity and keeps its history. */
                            retired?: boolean;
                        }[];
                        /** @default [] */
                        apps: {
                            code: string;
                            name: string;
                            /**
                             * Format: date-time
                             * @description Instant from which the change is effective; default: when it is applied.
                             * @example 2026-08-20T14:03:07.250Z
                             */
                            effective_from?: string;
                            /** @description Retires the entity and keeps its history. */
                            retired?: boolean;
                        }[];
                        /** @default [] */
                        campaigns: {
                            /** Format: int64 */
                            id: number;
                            /** Format: int64 */
                            network: number;
                            external_id: string;
                            name: string;
                            subscription_name?: string;
                            /** @default [] */
                            strategies: {
                                /** Format: int64 */
                                id: number;
                                name: string;
                            }[];
                            /**
                             * Format: date-time
                             * @description Instant from which the change is effective; default: when it is applied.
                             * @example 2026-08-20T14:03:07.250Z
                             */
                            effective_from?: string;
                            /** @description Retires the entity and keeps its history. */
                            retired?: boolean;
                        }[];
                        /** @default [] */
                        creatives: {
                            external_id: string;
                            title: string;
                            display_title?: string;
                            /** Format: int64 */
                            campaign: number;
                            /** Format: int64 */
                            strategy?: number;
                            duration_ms?: number;
                            /**
                             * Format: date-time
                             * @description Instant from which the change is effective; default: when it is applied.
                             * @example 2026-08-20T14:03:07.250Z
                             */
                            effective_from?: string;
                            /** @description Retires the entity and keeps its history. */
                            retired?: boolean;
                        }[];
                        /** @default [] */
                        metric_definitions: {
                            /** Format: int64 */
                            network: number;
                            version: number;
                            /**
                             * Format: date-time
                             * @example 2026-08-20T14:03:07.250Z
                             */
                            effective_from: string;
                            thresholds: {
                                /**
                                 * @description Shortest presence during a play that creates a row.
                                 * @default 100
                                 */
                                min_presence_ms: number;
                                /**
                                 * @description Watch periods with gaps up to this are merged.
                                 * @default 300
                                 */
                                merge_gap_ms: number;
                                /**
                                 * @description Shortest presence of an impression.
                                 * @default 1000
                                 */
                                impression_ms: number;
                                /**
                                 * @description Shortest watch time of a glance.
                                 * @default 500
                                 */
                                glance_ms: number;
                                /**
                                 * @description Shortest watch time of a view.
                                 * @default 2000
                                 */
                                view_ms: number;
                                /**
                                 * @description Longest absence during the play of a view-through.
                                 * @default 500
                                 */
                                view_through_slack_ms: number;
                                /**
                                 * @description Share of the play that a view-through must watch; up to three decimals.
                                 * @default 0.75
                                 */
                                view_through_share: number;
                            };
                        }[];
                    };
                };
            };
            400: components["responses"]["InvalidParam"];
            401: components["responses"]["Unauthorized"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    applyRegistry: {
        parameters: {
            query?: {
                /** @description `true`: return what would change without applying it. */
                dry_run?: boolean;
                /** @description `true`: allow thresholds effective in the past, which recomputes existing data. */
                restate?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @default [] */
                    networks?: {
                        /** Format: int64 */
                        id: number;
                        name: string;
                        /** @example Europe/London */
                        timezone: string;
                        /**
                         * Format: date-time
                         * @description Instant from which the change is effective; default: when it is applied.
                         * @example 2026-08-20T14:03:07.250Z
                         */
                        effective_from?: string;
                        /** @description Retires the entity and keeps its history. */
                        retired?: boolean;
                    }[];
                    /** @default [] */
                    vendors?: {
                        code: string;
                        name: string;
                        /** Format: int64 */
                        network: number;
                        /**
                         * Format: date-time
                         * @description Instant from which the change is effective; default: when it is applied.
                         * @example 2026-08-20T14:03:07.250Z
                         */
                        effective_from?: string;
                        /** @description Retires the entity and keeps its history. */
                        retired?: boolean;
                    }[];
                    /** @default [] */
                    sites?: {
                        /** Format: int64 */
                        id: number;
                        name: string;
                        /** Format: int64 */
                        network: number;
                        /** @example Europe/London */
                        timezone: string;
                        business_hours?: {
                            [key: string]: string[];
                        };
                        /**
                         * Format: date-time
                         * @description Instant from which the change is effective; default: when it is applied.
                         * @example 2026-08-20T14:03:07.250Z
                         */
                        effective_from?: string;
                        /** @description Retires the entity and keeps its history. */
                        retired?: boolean;
                    }[];
                    /** @default [] */
                    locations?: {
                        /** Format: int64 */
                        id: number;
                        name: string;
                        /** Format: int64 */
                        site: number;
                        /**
                         * Format: date-time
                         * @description Instant from which the change is effective; default: when it is applied.
                         * @example 2026-08-20T14:03:07.250Z
                         */
                        effective_from?: string;
                        /** @description Retires the entity and keeps its history. */
                        retired?: boolean;
                    }[];
                    /** @default [] */
                    devices?: {
                        /** Format: int64 */
                        id: number;
                        name: string;
                        /** Format: int64 */
                        location: number;
                        /** @example Europe/London */
                        timezone?: string;
                        /** @default [] */
                        screen_ids?: string[];
                        /**
                         * Format: date-time
                         * @description Instant from which the change is effective; default: when it is applied.
                         * @example 2026-08-20T14:03:07.250Z
                         */
                        effective_from?: string;
                        /** @description Retires the entity and keeps its history. */
                        retired?: boolean;
                    }[];
                    /** @default [] */
                    feeders?: {
                        /** Format: int64 */
                        id: number;
                        name: string;
                        /** Format: int64 */
                        device: number;
                        /**
                         * Format: date-time
                         * @description Instant from which the change is effective; default: when it is applied.
                         * @example 2026-08-20T14:03:07.250Z
                         */
                        effective_from?: string;
                        /** @description Retires the entity and keeps its history. */
                        retired?: boolean;
                    }[];
                    /** @default [] */
                    cameras?: {
                        /** Format: int64 */
                        id: number;
                        name: string;
                        /** Format: int64 */
                        device: number;
                        /** Format: int64 */
                        feeder?: number;
                        /**
                         * Format: date-time
                         * @description Instant from which the change is effective; default: when it is applied.
                         * @example 2026-08-20T14:03:07.250Z
                         */
                        effective_from?: string;
                        /** @description Retires the entity and keeps its history. */
                        retired?: boolean;
                    }[];
                    /** @default [] */
                    apps?: {
                        code: string;
                        name: string;
                        /**
                         * Format: date-time
                         * @description Instant from which the change is effective; default: when it is applied.
                         * @example 2026-08-20T14:03:07.250Z
                         */
                        effective_from?: string;
                        /** @description Retires the entity and keeps its history. */
                        retired?: boolean;
                    }[];
                    /** @default [] */
                    campaigns?: {
                        /** Format: int64 */
                        id: number;
                        /** Format: int64 */
                        network: number;
                        external_id: string;
                        name: string;
                        subscription_name?: string;
                        /** @default [] */
                        strategies?: {
                            /** Format: int64 */
                            id: number;
                            name: string;
                        }[];
                        /**
                         * Format: date-time
                         * @description Instant from which the change is effective; default: when it is applied.
                         * @example 2026-08-20T14:03:07.250Z
                         */
                        effective_from?: string;
                        /** @description Retires the entity and keeps its history. */
                        retired?: boolean;
                    }[];
                    /** @default [] */
                    creatives?: {
                        external_id: string;
                        title: string;
                        display_title?: string;
                        /** Format: int64 */
                        campaign: number;
                        /** Format: int64 */
                        strategy?: number;
                        duration_ms?: number;
                        /**
                         * Format: date-time
                         * @description Instant from which the change is effective; default: when it is applied.
                         * @example 2026-08-20T14:03:07.250Z
                         */
                        effective_from?: string;
                        /** @description Retires the entity and keeps its history. */
                        retired?: boolean;
                    }[];
                    /** @default [] */
                    metric_definitions?: {
                        /** Format: int64 */
                        network: number;
                        version: number;
                        /**
                         * Format: date-time
                         * @example 2026-08-20T14:03:07.250Z
                         */
                        effective_from: string;
                        thresholds: {
                            /**
                             * @description Shortest presence during a play that creates a row.
                             * @default 100
                             */
                            min_presence_ms?: number;
                            /**
                             * @description Watch periods with gaps up to this are merged.
                             * @default 300
                             */
                            merge_gap_ms?: number;
                            /**
                             * @description Shortest presence of an impression.
                             * @default 1000
                             */
                            impression_ms?: number;
                            /**
                             * @description Shortest watch time of a glance.
                             * @default 500
                             */
                            glance_ms?: number;
                            /**
                             * @description Shortest watch time of a view.
                             * @default 2000
                             */
                            view_ms?: number;
                            /**
                             * @description Longest absence during the play of a view-through.
                             * @default 500
                             */
                            view_through_slack_ms?: number;
                            /**
                             * @description Share of the play that a view-through must watch; up to three decimals.
                             * @default 0.75
                             */
                            view_through_share?: number;
                        };
                    }[];
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AppliedRegistry"];
                };
            };
            400: components["responses"]["InvalidParamOrInvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenOrigin"];
            408: components["responses"]["BodyTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    listNetworks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Sorted by name, without retired networks. */
                        networks: components["schemas"]["ListedNetwork"][];
                    };
                };
            };
            400: components["responses"]["InvalidParam"];
            401: components["responses"]["Unauthorized"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    listApiKeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"][];
                };
            };
            400: components["responses"]["InvalidParam"];
            401: components["responses"]["Unauthorized"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    createApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: int64 */
                    network: number;
                    vendor: string;
                    /**
                     * Format: date-time
                     * @example 2026-08-20T14:03:07.250Z
                     */
                    expires?: string;
                    name?: string;
                    requests_per_second?: number;
                    events_per_second?: number;
                };
            };
        };
        responses: {
            /** @description Made. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MadeApiKey"];
                };
            };
            400: components["responses"]["InvalidParamOrInvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenOrigin"];
            408: components["responses"]["BodyTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    setApiKeyRates: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the API key. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    requests_per_second?: number | null;
                    events_per_second?: number | null;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
            400: components["responses"]["InvalidParamOrInvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenOrigin"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["BodyTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    revokeApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the API key. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
            400: components["responses"]["InvalidParam"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenOrigin"];
            404: components["responses"]["NotFound"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    listClients: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Client"][];
                };
            };
            400: components["responses"]["InvalidParam"];
            401: components["responses"]["Unauthorized"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    createClient: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description In the order of the token's claim; the first is the default of a request. */
                    networks: number[];
                    name?: string;
                };
            };
        };
        responses: {
            /** @description Made. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MadeClient"];
                };
            };
            400: components["responses"]["InvalidParamOrInvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenOrigin"];
            408: components["responses"]["BodyTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    rotateClient: {
        parameters: {
            query?: {
                /** @description How long the previous secret stays valid. */
                overlap_seconds?: number;
            };
            header?: never;
            path: {
                /** @description The client_id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MadeClient"];
                };
            };
            400: components["responses"]["InvalidParam"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenOrigin"];
            404: components["responses"]["NotFound"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    revokeClient: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The client_id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Client"];
                };
            };
            400: components["responses"]["InvalidParam"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenOrigin"];
            404: components["responses"]["NotFound"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    listSigningKeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SigningKey"][];
                };
            };
            400: components["responses"]["InvalidParam"];
            401: components["responses"]["Unauthorized"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    rotateSigningKey: {
        parameters: {
            query?: {
                /** @description Whether to reject all tokens issued so far. */
                end_tokens?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SigningKey"][];
                };
            };
            400: components["responses"]["InvalidParam"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenOrigin"];
            409: components["responses"]["Conflict"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    listAnalysts: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Analyst"][];
                };
            };
            400: components["responses"]["InvalidParam"];
            401: components["responses"]["Unauthorized"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    createAnalyst: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    /** @description Networks whose rows the analyst sees; `all` includes future networks. */
                    networks: number[] | "all";
                    /**
                     * @description Whether the service runs the statements itself; if false, an administrator must run them.
                     * @default true
                     */
                    run_sql?: boolean;
                };
            };
        };
        responses: {
            /** @description Made. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MadeAnalyst"];
                };
            };
            400: components["responses"]["InvalidParamOrInvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenOrigin"];
            408: components["responses"]["BodyTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    revokeAnalyst: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The login. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Analyst"];
                };
            };
            400: components["responses"]["InvalidParam"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenOrigin"];
            404: components["responses"]["NotFound"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    showEvent: {
        parameters: {
            query: {
                id: string;
                network?: number;
                vendor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ShownEvent"];
                };
            };
            400: components["responses"]["InvalidParam"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    listConflicts: {
        parameters: {
            query?: {
                network?: number;
                vendor?: string;
                since?: string;
                limit?: number;
                before?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Conflicts"];
                };
            };
            400: components["responses"]["InvalidParam"];
            401: components["responses"]["Unauthorized"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    listQuarantine: {
        parameters: {
            query?: {
                network?: number;
                vendor?: string;
                schema_version?: string;
                limit?: number;
                before?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Quarantine"];
                };
            };
            400: components["responses"]["InvalidParam"];
            401: components["responses"]["Unauthorized"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    retryQuarantine: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: int64 */
                    network: number;
                    vendor: string;
                    schema_version: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QuarantineTried"];
                };
            };
            400: components["responses"]["InvalidParamOrInvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenOrigin"];
            408: components["responses"]["BodyTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    getBalance: {
        parameters: {
            query?: {
                network?: number;
                vendor?: string;
                since?: string;
                until?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Balance"];
                };
            };
            400: components["responses"]["InvalidParam"];
            401: components["responses"]["Unauthorized"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    listJobs: {
        parameters: {
            query?: {
                network?: number;
                vendor?: string;
                status?: "queued" | "processing" | "completed" | "failed" | "partially_completed";
                limit?: number;
                before?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        jobs: components["schemas"]["ListedJob"][];
                        /** @description What to send as `before` for the next page; null on the last. */
                        next_before: string | null;
                    };
                };
            };
            400: components["responses"]["InvalidParam"];
            401: components["responses"]["Unauthorized"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    showJob: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Of the job. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ShownJob"];
                };
            };
            400: components["responses"]["InvalidParam"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    listJobErrors: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Of the job. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": string;
                };
            };
            400: components["responses"]["InvalidParam"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    listMappings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MappingInForce"][];
                };
            };
            400: components["responses"]["InvalidParam"];
            401: components["responses"]["Unauthorized"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    applyMapping: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    vendor: string;
                    schema_version: string;
                    /** @description Names of the columns of a CSV without header. */
                    columns?: string[];
                    /** @description Further fields that must be present for an event to be a play. */
                    required?: string[];
                    fields: {
                        eventId?: {
                            /** @description Path of the value, like `a.b[0]` or `["odd key"]`. */
                            path?: string;
                            /** @description Always this value. */
                            const?: string | number | boolean;
                            /** @description Value when the path is absent. */
                            default?: string | number | boolean;
                            /** @description Maps values as sent to canonical values. */
                            map?: {
                                [key: string]: string | number | boolean;
                            };
                            /** @description Value when the path is present. */
                            when_present?: string | number | boolean;
                            /** @description Value when the path is absent. */
                            when_absent?: string | number | boolean;
                        };
                        screenId: {
                            /** @description Path of the value, like `a.b[0]` or `["odd key"]`. */
                            path?: string;
                            /** @description Always this value. */
                            const?: string | number | boolean;
                            /** @description Value when the path is absent. */
                            default?: string | number | boolean;
                            /** @description Maps values as sent to canonical values. */
                            map?: {
                                [key: string]: string | number | boolean;
                            };
                            /** @description Value when the path is present. */
                            when_present?: string | number | boolean;
                            /** @description Value when the path is absent. */
                            when_absent?: string | number | boolean;
                        };
                        siteId?: {
                            /** @description Path of the value, like `a.b[0]` or `["odd key"]`. */
                            path?: string;
                            /** @description Always this value. */
                            const?: string | number | boolean;
                            /** @description Value when the path is absent. */
                            default?: string | number | boolean;
                            /** @description Maps values as sent to canonical values. */
                            map?: {
                                [key: string]: string | number | boolean;
                            };
                            /** @description Value when the path is present. */
                            when_present?: string | number | boolean;
                            /** @description Value when the path is absent. */
                            when_absent?: string | number | boolean;
                        };
                        campaignId: {
                            /** @description Path of the value, like `a.b[0]` or `["odd key"]`. */
                            path?: string;
                            /** @description Always this value. */
                            const?: string | number | boolean;
                            /** @description Value when the path is absent. */
                            default?: string | number | boolean;
                            /** @description Maps values as sent to canonical values. */
                            map?: {
                                [key: string]: string | number | boolean;
                            };
                            /** @description Value when the path is present. */
                            when_present?: string | number | boolean;
                            /** @description Value when the path is absent. */
                            when_absent?: string | number | boolean;
                        };
                        creativeId: {
                            /** @description Path of the value, like `a.b[0]` or `["odd key"]`. */
                            path?: string;
                            /** @description Always this value. */
                            const?: string | number | boolean;
                            /** @description Value when the path is absent. */
                            default?: string | number | boolean;
                            /** @description Maps values as sent to canonical values. */
                            map?: {
                                [key: string]: string | number | boolean;
                            };
                            /** @description Value when the path is present. */
                            when_present?: string | number | boolean;
                            /** @description Value when the path is absent. */
                            when_absent?: string | number | boolean;
                        };
                        playedAt?: {
                            /** @description Path of the value, like `a.b[0]` or `["odd key"]`. */
                            path?: string;
                            /** @description Always this value. */
                            const?: string | number | boolean;
                            /** @description Value when the path is absent. */
                            default?: string | number | boolean;
                            /** @description Maps values as sent to canonical values. */
                            map?: {
                                [key: string]: string | number | boolean;
                            };
                            /** @description Value when the path is present. */
                            when_present?: string | number | boolean;
                            /** @description Value when the path is absent. */
                            when_absent?: string | number | boolean;
                            /** @description Format of the time: iso (default), unix_s, unix_ms, or a pattern like yyyy-MM-dd HH:mm:ss. */
                            time?: string | ("iso" | "unix_s" | "unix_ms");
                            /** @description Zone of a time without offset; default device: the zone of the device, else of its site. */
                            zone?: string | ("utc" | "device");
                            /** @description Path of a separate field with the offset. */
                            offset_path?: string;
                        };
                        endedAt?: {
                            /** @description Path of the value, like `a.b[0]` or `["odd key"]`. */
                            path?: string;
                            /** @description Always this value. */
                            const?: string | number | boolean;
                            /** @description Value when the path is absent. */
                            default?: string | number | boolean;
                            /** @description Maps values as sent to canonical values. */
                            map?: {
                                [key: string]: string | number | boolean;
                            };
                            /** @description Value when the path is present. */
                            when_present?: string | number | boolean;
                            /** @description Value when the path is absent. */
                            when_absent?: string | number | boolean;
                            /** @description Format of the time: iso (default), unix_s, unix_ms, or a pattern like yyyy-MM-dd HH:mm:ss. */
                            time?: string | ("iso" | "unix_s" | "unix_ms");
                            /** @description Zone of a time without offset; default device: the zone of the device, else of its site. */
                            zone?: string | ("utc" | "device");
                            /** @description Path of a separate field with the offset. */
                            offset_path?: string;
                        };
                        duration?: {
                            /** @description Path of the value, like `a.b[0]` or `["odd key"]`. */
                            path?: string;
                            /** @description Always this value. */
                            const?: string | number | boolean;
                            /** @description Value when the path is absent. */
                            default?: string | number | boolean;
                            /** @description Maps values as sent to canonical values. */
                            map?: {
                                [key: string]: string | number | boolean;
                            };
                            /** @description Value when the path is present. */
                            when_present?: string | number | boolean;
                            /** @description Value when the path is absent. */
                            when_absent?: string | number | boolean;
                            /**
                             * @description Default ms.
                             * @enum {string}
                             */
                            unit?: "ms" | "s";
                        };
                        startReason?: {
                            /** @description Path of the value, like `a.b[0]` or `["odd key"]`. */
                            path?: string;
                            /** @description Always this value. */
                            const?: string | number | boolean;
                            /** @description Value when the path is absent. */
                            default?: string | number | boolean;
                            /** @description Maps values as sent to canonical values. */
                            map?: {
                                [key: string]: string | number | boolean;
                            };
                            /** @description Value when the path is present. */
                            when_present?: string | number | boolean;
                            /** @description Value when the path is absent. */
                            when_absent?: string | number | boolean;
                        };
                        /** @description An object to keep with the play. */
                        context?: {
                            /** @description Path of the value, like `a.b[0]` or `["odd key"]`. */
                            path: string;
                        };
                    };
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AppliedMapping"];
                };
            };
            400: components["responses"]["InvalidParamOrInvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenOrigin"];
            408: components["responses"]["BodyTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    listDevices: {
        parameters: {
            query?: {
                network?: number;
                status?: "online" | "offline" | "never";
                /** @description Only devices currently in these sites; repeat the parameter for several. */
                site_id?: number[];
                /** @description Part of the name, case-insensitive; or the whole id of the device or of a screen it shows or has shown. */
                search?: string;
                /** @description The cursor returned by the previous page. */
                after?: number;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * Format: int64
                         * @description Number of matches over all pages.
                         */
                        total: number;
                        /**
                         * Format: int64
                         * @description Number on this page.
                         */
                        count: number;
                        /**
                         * Format: int64
                         * @description What to send as `after` for the next page; null on the last.
                         */
                        next_after: number | null;
                        /** @description By id. */
                        devices: components["schemas"]["ListedDevice"][];
                    };
                };
            };
            400: components["responses"]["InvalidParam"];
            401: components["responses"]["Unauthorized"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    listOutages: {
        parameters: {
            query?: {
                network?: number;
                /** @description Only this device. */
                device?: number;
                /** @description Only this feeder; with `device`, both. */
                feeder?: number;
                /** @description Only devices currently in this site, and their feeders. */
                site?: number;
                /** @description Only outages that ended after this time; default a week before `to`. */
                from?: string;
                /** @description Only outages that began before this time. */
                to?: string;
                /** @description `true`: only ongoing outages. */
                open?: boolean;
                limit?: number;
                /** @description The cursor returned by the previous page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * Format: date-time
                         * @description Start of the window; includes outages that end after it.
                         * @example 2026-08-20T14:03:07.250Z
                         */
                        from: string;
                        /**
                         * Format: date-time
                         * @description The end of the window.
                         * @example 2026-08-20T14:03:07.250Z
                         */
                        to: string | null;
                        outages: components["schemas"]["ListedOutage"][];
                        /** @description What to send as `cursor` for the next page; null on the last. */
                        next_cursor: string | null;
                    };
                };
            };
            400: components["responses"]["InvalidParam"];
            401: components["responses"]["Unauthorized"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    getCompleteness: {
        parameters: {
            query: {
                network: number;
                /** @description From the hour of it; default 48 hours before `to`. */
                from?: string;
                /** @description Until the end of the hour that contains it; default the current hour. */
                to?: string;
                /** @description Screens whose last site is one of these; repeat the parameter for several. */
                site_id?: number[];
                /** @description The cursor returned by the previous page. */
                after?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Completeness"];
                };
            };
            400: components["responses"]["InvalidParam"];
            401: components["responses"]["Unauthorized"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    listProjections: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Projection"][];
                };
            };
            400: components["responses"]["InvalidParam"];
            401: components["responses"]["Unauthorized"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    pauseProjection: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PausedProjection"];
                };
            };
            400: components["responses"]["InvalidParam"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenOrigin"];
            404: components["responses"]["NotFound"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    resumeProjection: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PausedProjection"];
                };
            };
            400: components["responses"]["InvalidParam"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenOrigin"];
            404: components["responses"]["NotFound"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    listParked: {
        parameters: {
            query?: {
                /** @description Projection. */
                projection?: "registry" | "coffee" | "watcher-summary" | "uptime" | "status" | "jobs";
                state?: "parked" | "discarded";
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ParkedEvents"];
                };
            };
            400: components["responses"]["InvalidParam"];
            401: components["responses"]["Unauthorized"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    retryParked: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description Projection.
                     * @enum {string}
                     */
                    projection: "registry" | "coffee" | "watcher-summary" | "uptime" | "status" | "jobs";
                    /** @description Log positions of the events. */
                    positions?: string[];
                    /**
                     * @description Selects all parked events; excludes `positions`.
                     * @constant
                     */
                    all?: true;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ParkedDecided"];
                };
            };
            400: components["responses"]["InvalidParamOrInvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenOrigin"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["BodyTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    discardParked: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description Projection.
                     * @enum {string}
                     */
                    projection: "registry" | "coffee" | "watcher-summary" | "uptime" | "status" | "jobs";
                    /** @description Log positions of the events. */
                    positions?: string[];
                    /**
                     * @description Selects all parked events; excludes `positions`.
                     * @constant
                     */
                    all?: true;
                    /** @description Stored with the events. */
                    reason: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ParkedDecided"];
                };
            };
            400: components["responses"]["InvalidParamOrInvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenOrigin"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["BodyTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    startReplay: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Of the projection. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description Compare the new generation with the live one at one log position before the switch.
                     * @default false
                     */
                    verify?: boolean;
                    /**
                     * Format: int64
                     * @description Replay only if this version of the projection or an older one built the live generation.
                     */
                    from_version?: number;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReplayNotNeeded"];
                };
            };
            /** @description Accepted. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Replay"];
                };
            };
            400: components["responses"]["InvalidParamOrInvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenOrigin"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["BodyTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    listReplays: {
        parameters: {
            query?: {
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        replays: components["schemas"]["Replay"][];
                    };
                };
            };
            400: components["responses"]["InvalidParam"];
            401: components["responses"]["Unauthorized"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    showReplay: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Of the replay. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Replay"];
                };
            };
            400: components["responses"]["InvalidParam"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    cancelReplay: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Of the replay. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Accepted. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Replay"];
                };
            };
            400: components["responses"]["InvalidParam"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenOrigin"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    rollBackProjection: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Of the projection. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Accepted. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Replay"];
                };
            };
            400: components["responses"]["InvalidParam"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenOrigin"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    examineService: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * Format: date-time
                         * @example 2026-08-20T14:03:07.250Z
                         */
                        at: string;
                        /**
                         * @description The most severe outcome of all findings.
                         * @enum {string}
                         */
                        outcome: "ok" | "warning" | "failed";
                        findings: components["schemas"]["Finding"][];
                    };
                };
            };
            400: components["responses"]["InvalidParam"];
            401: components["responses"]["Unauthorized"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    getHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        status: true;
                        /** @constant */
                        message: "alive";
                    };
                };
            };
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    getReadiness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        status: true;
                        /** @constant */
                        message: "ready";
                        /** @description Dependencies that are ready, by name. */
                        checks: {
                            [key: string]: "ok";
                        };
                    };
                };
            };
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    getMetrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            401: components["responses"]["Unauthorized"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    getOpenApi: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        openapi: string;
                        info: {
                            [key: string]: unknown;
                        };
                        paths: {
                            [key: string]: unknown;
                        };
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    getDocs: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
}
