package main

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"regexp"
	"strings"

	"golang.org/x/crypto/sha3"
)

func main() {
	port := os.Getenv("PORT")
	if port == "" {
		port = "3005"
	}
	// The folder with the built page.
	http.Handle("/", http.FileServer(http.Dir("dist")))
	http.HandleFunc("/verify", verify)
	log.Println("http://localhost:" + port)
	log.Fatal(http.ListenAndServe("localhost:"+port, nil))
}

// verify asks the platform to verify a proof, and passes the answer on.
func verify(response http.ResponseWriter, request *http.Request) {
	var proof map[string]any
	body := http.MaxBytesReader(response, request.Body, 100_000)
	if err := json.NewDecoder(body).Decode(&proof); err != nil || proof == nil {
		http.Error(response, `{"detail": "The body must be a JSON object."}`, http.StatusBadRequest)
		return
	}
	// Use your own action and signal, never the browser's. Then a proof for another action or signal is invalid.
	proof["action"] = os.Getenv("ACTION")
	proof["signal_hash"] = hashSignal(os.Getenv("SIGNAL"))
	answer, err := send(proof)
	if err != nil {
		log.Println(err)
		http.Error(response, `{"detail": "The platform cannot be reached."}`, http.StatusBadGateway)
		return
	}
	defer answer.Body.Close()
	// On success, store nullifier_hash with what the person did: it is the person's number for this action.
	response.Header().Set("Content-Type", "application/json")
	response.WriteHeader(answer.StatusCode)
	io.Copy(response, answer.Body)
}

func send(proof map[string]any) (*http.Response, error) {
	body, err := json.Marshal(proof)
	if err != nil {
		return nil, err
	}
	url := os.Getenv("BASE_URL") + "/api/v2/verify/" + os.Getenv("APP_ID")
	request, err := http.NewRequest("POST", url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	key := make([]byte, 16)
	rand.Read(key)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Idempotency-Key", fmt.Sprintf("%x", key))
	return http.DefaultClient.Do(request)
}

var hexText = regexp.MustCompile("^0x[0-9a-fA-F]*$")

// hashSignal returns the signal hash. A text of 0x and hex digits is bytes; any other text is UTF-8.
func hashSignal(signal string) string {
	data := []byte(signal)
	if hexText.MatchString(signal) {
		digits := signal[2:]
		data, _ = hex.DecodeString(strings.Repeat("0", len(digits)%2) + digits)
	}
	hash := sha3.NewLegacyKeccak256()
	hash.Write(data)
	return fmt.Sprintf("0x00%x", hash.Sum(nil)[:31])
}
