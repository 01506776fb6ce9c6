package dispatcher

import (
	"bufio"
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// call posts to a real server the way a lane does, with a deadline that a broken server runs into.
func call(t *testing.T, to string, deadline time.Duration) Answer {
	t.Helper()
	transport := newTransport(Destination{Delivery: DefaultDelivery()})
	t.Cleanup(transport.CloseIdleConnections)
	u, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeoutCause(t.Context(), deadline, errCallTimeout)
	defer cancel()
	c := sample()
	return post(ctx, transport, u, headers("/p", &c, time.Now()), c.EventEnvelope, 1<<16)
}

func codeOf(a Answer) string {
	return Classify(released(), a, firstVersion(operationsReceipt), time.Now()).Code
}

func serve(t *testing.T, handler http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}

// serveRaw answers each connection with what speak does to it once the request's headers are read.
func serveRaw(t *testing.T, speak func(*net.TCPConn)) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				if request, err := http.ReadRequest(bufio.NewReader(conn)); err == nil {
					_, _ = io.Copy(io.Discard, request.Body)
					speak(conn.(*net.TCPConn))
				}
			}()
		}
	}()
	return "http://" + listener.Addr().String()
}

func TestTheBodyIsTheEnvelopeByteForByte(t *testing.T) {
	got := make(chan *http.Request, 1)
	body := make(chan string, 1)
	to := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		body <- string(text)
		got <- r
	})
	call(t, to+"/events?tenant=a%20b", time.Minute)
	c := sample()
	if text := <-body; text != string(c.EventEnvelope) {
		t.Errorf("sent %q", text)
	}
	r := <-got
	if r.Method != http.MethodPost || r.RequestURI != "/events?tenant=a%20b" || r.ContentLength != int64(len(c.EventEnvelope)) {
		t.Errorf("sent %s %s of %d bytes", r.Method, r.RequestURI, r.ContentLength)
	}
	if r.Header.Get("Accept-Encoding") != "" || r.Header.Get("Ce-Id") != c.EventID {
		t.Errorf("headers %v", r.Header)
	}
}

func TestARedirectIsNotFollowed(t *testing.T) {
	for _, status := range []int{301, 302, 303, 307, 308} {
		var requests atomic.Int32
		to := serve(t, func(w http.ResponseWriter, r *http.Request) {
			requests.Add(1)
			http.Redirect(w, r, "/elsewhere", status)
		})
		if code := codeOf(call(t, to, time.Minute)); code != codeHTTPRedirect || requests.Load() != 1 {
			t.Errorf("%d: %s after %d requests", status, code, requests.Load())
		}
	}
}

func TestOneDeadlineOverHeadersAndBody(t *testing.T) {
	hang := func(r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // only then does the server see the client go
		<-r.Context().Done()
	}
	for name, handler := range map[string]http.HandlerFunc{
		"headers never come": func(_ http.ResponseWriter, r *http.Request) { hang(r) },
		"body never ends": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"result":`)
			_ = http.NewResponseController(w).Flush()
			hang(r)
		},
	} {
		t.Run(name, func(t *testing.T) {
			if code := codeOf(call(t, serve(t, handler), 100*time.Millisecond)); code != codeTimeout {
				t.Errorf("code %s", code)
			}
		})
	}
}

func TestAnEndlessBodyIsCut(t *testing.T) {
	ended := make(chan struct{})
	to := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		defer close(ended)
		w.Header().Set("Content-Type", "application/json")
		for chunk := strings.Repeat(" ", 4096); ; {
			if _, err := io.WriteString(w, chunk); err != nil {
				return
			}
		}
	})
	answer := call(t, to, time.Minute)
	if code := codeOf(answer); code != codeResponseTooLarge || len(answer.Body) != 1<<16 {
		t.Errorf("%s after %d bytes", code, len(answer.Body))
	}
	<-ended // the connection was closed, the server is not left writing
}

func TestABodyOfExactlyTheLimitIsWhole(t *testing.T) {
	to := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, strings.Repeat("x", 1<<16)) })
	if answer := call(t, to, time.Minute); answer.Truncated || len(answer.Body) != 1<<16 {
		t.Errorf("%d bytes, truncated %v", len(answer.Body), answer.Truncated)
	}
}

func TestConnectionsThatBreak(t *testing.T) {
	reset := func(c *net.TCPConn) { _ = c.SetLinger(0) }
	for name, test := range map[string]struct {
		speak func(*net.TCPConn)
		codes []string
	}{
		"reset before the answer":  {reset, []string{codeConnectionReset}},
		"closed before the answer": {func(*net.TCPConn) {}, []string{codeConnectionReset}},
		"cut in the headers": {func(c *net.TCPConn) { _, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Ty") },
			[]string{codeConnectionReset, codeResponseUnreadable}},
		"cut in the body": {func(c *net.TCPConn) {
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{")
		}, []string{codeResponseUnreadable}},
		"broken chunks": {func(c *net.TCPConn) {
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n")
		}, []string{codeResponseUnreadable}},
		"not HTTP": {func(c *net.TCPConn) { _, _ = io.WriteString(c, "220 smtp ready\r\n\r\n") }, []string{codeResponseUnreadable}},
		"endless headers": {func(c *net.TCPConn) {
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\n")
			for err := error(nil); err == nil; {
				_, err = io.WriteString(c, "X-More: "+strings.Repeat("x", 1000)+"\r\n")
			}
		}, []string{codeConnectionFailed, codeConnectionReset}},
	} {
		t.Run(name, func(t *testing.T) {
			code := codeOf(call(t, serveRaw(t, test.speak), time.Minute))
			if !slices.Contains(test.codes, code) {
				t.Errorf("code %s, want one of %v", code, test.codes)
			}
		})
	}
}

func TestServersThatCannotBeReached(t *testing.T) {
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := closed.Addr().String()
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	if code := codeOf(call(t, "http://"+address, time.Minute)); code != codeConnectionRefused {
		t.Errorf("closed port: %s", code)
	}
	if code := codeOf(call(t, "http://outbox.invalid", time.Minute)); code != codeDNSFailure {
		t.Errorf("unknown host: %s", code)
	}
}

func TestTLSFailures(t *testing.T) {
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	if code := codeOf(call(t, server.URL, time.Minute)); code != codeTLSFailure {
		t.Errorf("unknown authority: %s", code)
	}
	plain := serve(t, func(http.ResponseWriter, *http.Request) {})
	if code := codeOf(call(t, strings.Replace(plain, "http:", "https:", 1), time.Minute)); code != codeTLSFailure {
		t.Errorf("plain HTTP where TLS is due: %s", code)
	}
}

func TestACallThatIsGivenUpSaysWhy(t *testing.T) {
	for want, cause := range map[string]error{codeLeaseLost: errLeaseLost, codeCallCancelled: errDrained} {
		ctx, cancel := context.WithCancelCause(t.Context())
		to := serve(t, func(_ http.ResponseWriter, r *http.Request) {
			cancel(cause)
			_, _ = io.Copy(io.Discard, r.Body)
			<-r.Context().Done()
		})
		u, err := url.Parse(to)
		if err != nil {
			t.Fatal(err)
		}
		transport := newTransport(Destination{Delivery: DefaultDelivery()})
		answer := post(ctx, transport, u, http.Header{}, []byte("{}"), 100)
		if code := codeOf(answer); code != want || !errors.Is(answer.Err, cause) {
			t.Errorf("%v: %s, %v", cause, code, answer.Err)
		}
	}
}

func TestConnectionsAreKept(t *testing.T) {
	var connections atomic.Int32
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "{}") }))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	u, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	transport := newTransport(Destination{Delivery: DefaultDelivery()})
	t.Cleanup(transport.CloseIdleConnections)
	for range 20 {
		if answer := post(t.Context(), transport, u, http.Header{}, []byte("{}"), 100); answer.Err != nil {
			t.Fatal(answer.Err)
		}
	}
	if n := connections.Load(); n != 1 {
		t.Errorf("%d connections for 20 calls in a row", n)
	}
}
